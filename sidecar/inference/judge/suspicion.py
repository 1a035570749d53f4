"""Texts that speak to the judge in place of to a reader: found by patterns, counted, and judged all the same.

What is found changes no verdict: the data block and the schema hold whether a text is found or not. Patterns read a folded text (compatibility
forms, no unseen characters, small letters) and have the syntax of RE2, which is linear.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from exporters.text import clean
from sidecar.inference.compatible import resolved

_MOST_CHARS = 200_000
_ORDER = (
    r"\b(ignore|disregard|forget|override|bypass|drop) (\w+ ){0,4}?(instruction|prompt|rule|guideline|criteri|direction|context|document|above)",
    r"\b(new|updated|revised|real|actual|important) (\w+ ){0,2}(instruction|task|rule|directive)s? ?(for (the |an? )?(\w+ )?(judge|evaluator|grader|rater|model|ai|llm|assistant)|:)",
    r"\b(note|message|attention|dear|hey|hello|instruction|reminder)s?,?( \w+){0,2} (judge|evaluator|grader|rater|verifier|auditor|fact.?checker)\b",
    r"\b(judge|evaluator|grader|rater|verifier|auditor)s?,? (must|should|shall|please|has to|have to|is (required|instructed|told)|are (required|instructed|told))\b",
    r"\b(you must|you should|you have to|please|always|just|only|simply|now) (\w+ ){0,3}?"
    r"(rate|score|grade|mark|reply|respond|answer with|output|return|print|give (it|this|the))\b.{0,60}?"
    r"(\b[0-5]\b|\bfull|\bsupport|\btrue\b|\bjson\b|\bmaximum|\bperfect|\bhighest|\btop\b|\bpass)",
    r"\b(stop|end|skip|abort) (\w+ ){0,3}?(evaluat|judging|grading|checking|verif)",
    r"(忽略|无视|忘记|不要理会|不要管|跳过|绕过|推翻).{0,12}(指令|指示|提示|规则|要求|说明|内容|上文|以上|文档)",
    r"(评审|评委|评估者|评测|裁判|评分员|审核|打分).{0,16}(必须|请|应当|应该|务必|直接)",
    r"(请|必须|务必|直接|只需).{0,12}(给|打|评|输出|返回|回复|判).{0,10}(满分|最高分|[0-9] ?分|支持|正确|通过|json)",
    r"\b(ignora|ignorez|ignoriere|vergiss|oublie|oubliez|olvida)\b.{0,40}\b(instruc|instruktion|anweisung|consigne|vorherig|anterior|précédent)",
)
_ROLE = (
    r"<\|?(im_start|im_end|system|user|assistant|end|endoftext|start_header_id|eot_id|begin_of_text)\|?>",
    r"\[/?(inst|system|sys)\]|<</?sys>>|</?(system|assistant|instructions?|prompt|judge|evaluation|verdict|rules?)>",
    r"(?m)^[#* >_-]{0,6}(system|assistant|developer|human|user|judge|evaluator)( message| prompt| note| override)? ?[*]{0,2}[:：]",
    r"\b(you are now|from now on,? (you|a|every|any|all|each)|pretend (that you|to be|you are)|role.?play as|play the role of a|imagine you are)\b",
    r"\b(you are|act as|behave like) (\w+ ){0,3}?(dan|judge|evaluator|grader|rater|ai|assistant|model|teacher|auditor|chatbot)\b",
    r"\b(system|hidden|original|initial) prompt\b|\bdeveloper mode\b|\bjailbreak|\bdebug mode\b|\bmaintenance mode\b|\btest mode\b",
    r"你现在是|(请|你|来)扮演|假装你|从现在(起|开始),?你|(系统|开发者)(提示|消息|指令|模式)",
)
_VERDICT = (
    r"[\"'“]?(verdict|verdicts|rating|holds|useful|supported|noncommittal|score|faithfulness|groundedness|evaluation result)"
    r"[\"'”]? ?[:=：] ?[\"'“\[{]?(full|true|supported|[0-5]\b|1\.0|yes|pass)",
    r"\b(verdict|rating|score|grade|evaluation result) (is|was|of|must be|should be|equals) ?[:=]? ?(full|supported|2\b|5\b|1\.0|100|maximum|perfect|pass)",
    r"\b(mark|label|rate|score|classify|treat|count|consider|accept) (\w+ ){0,5}?as (\w+ )?(fully )?(support|ground|faithful|correct|relevant|useful|true|verified|proven|accurate)",
    r"(评分|得分|分数|结论|判定|评级)(为|是|[:：=]) ?(满分|支持|正确|通过|[0-9])|视为.{0,6}(支持|正确|真实|有依据)",
)
_PRAISE = (
    r"\b(this|the|my|our) (answer|response|reply|text|statement)s? (\w+ ){0,3}?(is|are|was|were|has been|have been) (\w+ ){0,3}?(fully |completely |entirely |perfectly |100 ?% |"
    r"absolutely |independently )+(support|ground|faithful|correct|accurate|verif|factual|relevant|reliable)",
    r"\b(every|each|all) (\w+ ){0,3}?(claim|statement|sentence|fact)s?( \w+){0,5}? (is|are|was|were|has been|have been) (\w+ ){0,3}?"
    r"(support|verif|ground|confirm|proven|checked|entailed)",
    r"\b(fact.?checked|verified|certified|approved|audited|confirmed|peer.reviewed) (and \w+ )?by (\w+ ){0,3}?"
    r"(judge|evaluator|expert|auditor|human|openai|anthropic|google|board|committee)",
    r"(本|该|此|这个|以上)(回答|答案|答复).{0,8}(完全|全部|百分之百|100%).{0,10}(支持|正确|真实|依据|可靠|相关)|(每|所有).{0,8}(说法|陈述|事实|句).{0,10}(核实|证实|支持|验证)",
)
_TAGS = (
    r"</?data>|\bend of (the )?(data|document|context|material|input)s?\b.{0,3}(block)?|-{3,} ?end|={3,} ?end|(数据|文档|材料)(块|部分)?(到此)?结束",
)
KINDS = {"order": _ORDER, "role": _ROLE, "verdict": _VERDICT, "praise": _PRAISE, "tags": _TAGS}
# Tags, bidirectional overrides and isolates, joiners between letters.
_HIDDEN = (
    r"[\x{E0000}-\x{E007F}\x{202A}-\x{202E}\x{2066}-\x{2069}]|\pL[\x{200B}\x{200C}\x{2060}\x{FEFF}\x{AD}]\pL"
    r"|[\x{200B}\x{2060}\x{FEFF}]{3}"
)


def suspicions(text: str) -> Iterator[str]:
    """Kinds of what in a text speaks to a judge: order, role, verdict, praise, tags, hidden. Each once."""
    text = text[:_MOST_CHARS]
    folded = fold(text)
    patterns = _patterns()
    for kind in KINDS:
        if patterns[kind].search(folded):
            yield kind
    if not text.isascii() and patterns["hidden"].search(clean(text)):
        yield "hidden"


@cache
def _patterns() -> Mapping[str, Any]:
    import re2  # a library in C++ that only those need who have a judge, or patterns of their own

    joined = {kind: "|".join(f"(?:{one})" for one in parts) for kind, parts in KINDS.items()}
    return {kind: re2.compile(pattern) for kind, pattern in {**joined, "hidden": _HIDDEN}.items()}


def fold(text: str) -> str:
    """Small letters, compatibility forms resolved, without backslashes and characters that show nothing, one space for many."""
    plain = resolved(clean(text))
    seen = plain if plain.isascii() else "".join(one for one in plain if unicodedata.category(one) != "Cf")
    bare = seen.replace("\\", "")
    return "\n".join(" ".join(line.split()) for line in bare.lower().splitlines())
