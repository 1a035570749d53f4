"""Sentences that decline: "I don't know", refusals, "the documents do not say", and what usually stands around them. English and Chinese."""

from __future__ import annotations

import re

_PLAIN_SOURCE = (
    r"(?:(?:the|this|these|my|any of the|your|our) )?(?:(?:provided|given|available|retrieved|above|supplied|current|specific|text|user|owner'?s?|relevant) ){0,5}"
    r"(?:context|contexts|documents?|documentation|passages?|sources?|text|texts|information|articles?|excerpts?|snippets?|material|content|"
    r"knowledge base|search results?|results|data|records?|manual|pages?|chunks?)(?: (?:provided|given|available|above|supplied))?"
)
_PLAIN_NEG = r"(?:do(?:es)? not|don[’']?t|doesn[’']?t|did not|didn[’']?t|cannot|can ?not|can[’']?t|could not|couldn[’']?t|fails? to|never)"
_PLAIN_SAY = (
    r"(?:explicitly |directly |specifically |actually |clearly |seem to |appear to ){0,4}"
    r"(?:mention|say|state|provide|contain|include|specify|address|answer|give|discuss|indicate|cover|offer|describe|explain|have|list|tell|detail|refer)"
)
_PLAIN_PAPER = (
    rf"(?:the|this|our|your|its|their)\ (?:\w+\ )?(?:handbook|guide|guidelines|policy|policies|contract|agreement|terms|faq|website|brochure|leaflet|report|email|notes?)\ {_PLAIN_NEG}"
    r"(?: explicitly| directly| specifically| actually| clearly)? (?:mention|say|state|specify|indicate|tell|answer|address)"
    rf"|(?:nothing in|none of|neither(?: of)?|no) {_PLAIN_SOURCE} "
    r"(?:explicitly |directly |actually )?(?:answers?|says?|mentions?|gives?|states?|provides?|contains?|specif(?:y|ies)|address(?:es)?|tells?)"
    rf"|(?:answer|information|that|this|it|detail)s? (?:is not|isn[’']t|are not|aren[’']t)(?: found| contained| given| covered)? (?:in|by) {_PLAIN_SOURCE}"
)
# "It is not safe to mix them" answers a question; "it is not appropriate to discuss that" does not.
_PLAIN_IMPROPER = (
    r"^\W{0,3}it(?: is|[’']s| would be) (?:not|never) (?:(?:appropriate|right|acceptable|respectful) or ethical|ethical(?: or \w+)?|"
    r"(?:appropriate|acceptable|right)(?: or \w+)? (?:for (?:me|us) )?to "
    r"(?:suggest|discuss|encourage|provide|promote|ask|make (?:assumptions|jokes|generali[sz]ations)|speculate|spread|share|advocate))\b"
)
# The pattern below is verbose, where a bare space means nothing: those of the parts are escaped.
_SOURCE, _NEG, _SAY, _PAPER, _IMPROPER = (
    part.replace("\\ ", " ").replace(" ", r"\ ")
    for part in (_PLAIN_SOURCE, _PLAIN_NEG, _PLAIN_SAY, _PLAIN_PAPER, _PLAIN_IMPROPER)
)
_ABSTAINS = re.compile(
    rf"""
    \b(?:i|we)(?:\ am|[’']m|\ are|[’']re)?\s*(?:really\ |actually\ |currently\ |simply\ ){{0,4}}
        (?:(?:{_NEG}|do\ not\ currently|don[’']t\ currently)\ (?:currently\ |actually\ |really\ |definitively\ |conclusively\ |personally\ )?
            (?:know\b|have\ (?:(?:any|enough|sufficient|specific|access|the|that|real-time|up-to-date|reliable|detailed|that\ specific|
               verified|information|personal|a\ record|records|current)\b)|
               find\b|answer\b|provide\b|determine\b|see\ (?:any|that|this|information)|locate\b|tell\b|confirm\b|verify\b|help\ with|assist|recall|say\b|
               give\b|fulfill|comply|share|disclose|offer|identify|access)
          |(?:not\ (?:sure|certain|aware|able\ to|familiar|allowed|permitted|in\ a\ position))
          |unable\ to\b|unaware\b|unsure\b|uncertain\b)
    |\b(?:i|we)\ (?:was|were)\ (?:not\ able|unable)\ to\b
    |\bi[’']?m\ (?:(?:really|very|so)\ )?(?:sorry|afraid)(?:,|\ but)\ (?:but\ )?(?:based\b[^,]{{0,60}},\ )?(?:i|that|there|this|the|we)
    |\bi\ (?:would\ )?need\ (?:(?:some|a\ (?:bit|little))\ )?(?:more|additional|further)\ (?:specific\ )?(?:information|context|details?)
    |\b(?:it\ (?:is|[’']s)|it\ remains)\ (?:un|not\ )clear\ (?:what|which|whether|from|if|how|who|why)
    |\b(?:it\ is|it[’']s)\ (?:not\ possible|impossible|difficult|hard)\ to\ (?:determine|answer|say|tell|provide|give|know|identify)
    |\b(?:is|are)\ (?:not|un)\ ?related\ to\ (?:the\ |your\ |this\ |any\ ){{0,4}}(?:(?:provided|given)\ )?(?:question|context|article|topic|text|passage|document)
    |\b(?:has|have|had)\ (?:not|n[’']t|yet\ to)\ (?:been\ |be\ )?(?:publicly|officially|widely)\ (?:disclosed|announced|documented|released|confirmed|shared|revealed|reported)
    |\b(?:not|n[’']t)\ (?:appear|seem)\ to\ be\ (?:any\ )?(?:publicly\ |widely\ |readily\ |much\ )?(?:available\ |known\ )?(?:information|records?|details?|data|
        documented|available)
    |\b(?:not|n[’']t)\ (?:have\ (?:a\ )?)?(?:widely|publicly|readily|well)[ -]?(?:\ )?(?:documented|known|publici[sz]ed|recorded|available|reported|disclosed)
    |^(?:sorry|unfortunately|apologies|i\ apologi[sz]e)\b.{{0,60}}\b(?:{_NEG}|unable|no\ (?:information|mention)|not\ (?:able|available|possible|enough))
    |\b{_SOURCE}\ (?:here\ |(?:that\ )?(?:i|we)\ (?:have|see|found|can\ see|(?:was|were)\ given|received)\ )?{_NEG}\ {_SAY}
    |\b(?:{_PAPER})\b
    |\b{_SOURCE}\ (?:is|are)\ (?:not\ (?:sufficient|enough)|insufficient|silent|unclear)
    |\b(?:is|are|was|were)\ (?:not|n[’']t)\ (?:explicitly\ |directly\ |specifically\ )?
        (?:(?:mentioned|specified|stated|disclosed|indicated|answerable|widely\ documented|publicly\ (?:available|known|documented|disclosed))\b
          |(?:provided|included|available|given|found|contained|discussed|covered|addressed|known|described|listed|present|documented|clear)\b
             [^.]{{0,30}}\b(?:in|by|from)\ {_SOURCE})
    |\b(?:isn[’']t|aren[’']t|wasn[’']t|weren[’']t)\ (?:mentioned|provided|specified|stated|available|given|found|known|disclosed)
    |\b(?:there\ (?:is|are|was|were)|has|have|contains?|provides?|found|gives?)\ (?:no|not\ enough|insufficient|not\ any|not\ sufficient)\ (?:\w+\ ){{0,3}}
        (?:information|mention|details?|data|answer|context|evidence(?!\ (?:that|of|for|to)\b)|reference|record|indication|documents?|results?|instructions?)
    |\bno\ (?:\w+\ ){{0,2}}(?:information|mention|details?|answer|data|record)s?[ ]
        (?:(?:is|are|was|were|has\ been|have\ been)\ )?(?:\w+ly\ )?(?:provided|available|given|found|about|on|regarding|in\ the)
    |\b(?:cannot|can[’']?t|can\ not|could\ not|couldn[’']t)\ be\ (?:answered|determined|verified|confirmed|established|inferred)
    |\b(?:information|answer|details?|mention|data|references?)\b[^.]{{0,40}}\b(?:cannot|can[’']?t|could\ not|couldn[’']t)\ be\ (?:found|provided|located|given)
    |\b(?:insufficient|not\ enough)\ (?:information|context|data|evidence|detail)
    |\bunable\ to\ (?:answer|find|provide|determine|help|locate|assist|verify|confirm)
    |^(?:unknown|n/?a|none|unanswerable|no\ answer(?:\ found)?|not\ (?:available|known|found|specified|stated|mentioned|provided|given|sure))\.?$
    |\b(?:as|being|i\ am|i[’']m|i[’']m\ just)\ an\ ai\b[^.]{{0,80}}\b(?:{_NEG}|unable)
    |{_IMPROPER}
    |\bbeyond\ (?:the\ scope|my\ knowledge)|\boutside\ (?:the\ scope\ of|of\ my|my)\b
    |\bmy\ knowledge\ (?:cutoff|only)\b|\bknowledge\ cutoff\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_POINTS_ELSEWHERE = re.compile(
    r"\b(?:recommend|suggest|advise|please (?:check|consult|contact|refer|provide|visit|ask|see|try|verify)|check(?:ing)? (?:the|with|a|an|more|official|reliable|recent|their)|"
    r"consult(?:ing)?|refer(?:ring)? to|contact(?:ing)?|reach out|look(?:ing)? (?:up|at|into)|visit(?:ing)?|you (?:may|might|can|could|should|would|will)(?: also)? "
    r"(?:want|need|wish|try|check|find|consult|refer|contact|look|have to|be able to find)|for (?:more|further|the most|accurate|detailed|up-to-date|specific|precise)|"
    r"(?:more|further|additional|specific) (?:information|details|context)|let me know|feel free|could you|can you|if you (?:have|can|need|provide|could)|"
    r"it (?:is|would be|might be|may be)(?: always)? (?:best|recommended|advisable|helpful|necessary|possible|a good idea)|reliable sources?|official (?:sources?|website|records))\b",
    re.IGNORECASE,
)
_HEDGED_LEAD = re.compile(
    r"\b(?:but|however|although|though|nevertheless|that said|yet|while)\b[,]?\s+(?P<rest>.{12,})",
    re.IGNORECASE | re.DOTALL,
)
_ABOUT_SOURCE = re.compile(
    rf"^(?:however,? |instead,? |rather,? )?(?:it|they|{_PLAIN_SOURCE}) (?:only|merely|just|mainly|primarily) (?!\w+ that\b)|"
    rf"^(?:however,? |instead,? )?(?:the|this|these|given|provided)[^.]{{0,30}}\b(?:context|passages?|text|documents?|information)\b (?:only |merely )?"
    r"(?:mentions?|provides?|explains?|discuss(?:es)?|describes?|talks?|refers?|is about|focus(?:es)?|contains?)\b",
    re.IGNORECASE,
)
_ANSWERS = re.compile(r"(?:yes|yeah|correct|right|absolutely|certainly)\b[,.!:]", re.IGNORECASE)
_APOLOGY = re.compile(
    r"^(?:i[’']?m |i am |we are |we[’']re )?(?:very |so )?(?:sorry|afraid|unable)|^i apologi[sz]e|^unfortunately|^as an ai",
    re.IGNORECASE,
)
_PLAIN_WILL_NOT = (
    rf"(?: am|[’']m| are|[’']re)? (?:(?:{_PLAIN_NEG}|will not|won[’']t|must not) (?:be able to |promote|provide|help|assist|answer|fulfill|comply|give|offer|support|"
    r"engage|share|recommend|encourage|condone|do |think it)|(?:not able|unable|not comfortable|not going) )"
)
_REFUSES = re.compile(rf"{_PLAIN_IMPROPER}|\b(?:an ai\b[^.]{{0,40}} and|i|we){_PLAIN_WILL_NOT}", re.IGNORECASE)
# "We do not offer refunds" is what a service says of itself; "I" is who answers.
_I_REFUSE = re.compile(
    rf"^\W{{0,3}}(?:(?:unfortunately|sorry|i[’']m sorry|i am sorry|i apologi[sz]e)[,.]? (?:but )?)?i{_PLAIN_WILL_NOT}",
    re.IGNORECASE,
)
_LECTURE = re.compile(
    r"\b(?:it(?: is|[’']s) (?:also |always |never |very |really |both |highly |deeply ){0,4}(?:important|essential|crucial|vital|necessary|worth|wrong|unethical|illegal|dangerous|"
    r"harmful|inappropriate|best|okay|ok\b|acceptable|not )|un?lawful|illegal|unethical|immoral|inappropriate|harm(?:s|ful|ing)?\b|dangerous|violen(?:t|ce)|abus|discriminat|"
    r"respect|dignity|rights|privacy|consent|well-being|values|guidelines|programming|just an ai|ai (?:language )?(?:model|assistant)|mental health|professional|"
    r"support (?:group|service|line)|hotline|authorit|law enforcement|emergency|consequences|ethical|condemn|tragic|instead[,]? (?:of|we|you|i\b|it|consider|let|focus|try)|"
    r"i (?:would )?(?:encourage|urge|suggest|recommend|strongly|hope|understand|am here)|let us|we should|everyone|promot|glorif|encourag)",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"^(?:however|but|that said|nevertheless|regarding your question|to answer|in general|generally|typically|usually)\b",
    re.IGNORECASE,
)
# Of these a sentence says nothing but that something was not found: it is no claim about the matter.
_NOT_SAID = re.compile(
    rf"""
    \b(?:{_PAPER})\b|
    \b(?:{_SOURCE}|(?:it|they)(?=\ (?:do|say|make)))\ (?:here\ |also\ |simply\ ){{0,2}}(?:{_NEG}\ {_SAY}|(?:say|says|provide|provides|contain|contains)\ nothing\b|
        (?:is|are)\ silent|(?:make|makes)\ no\ mention|
        (?:contain|contains|provide|provides|have|has|give|gives)\ (?:no|not\ enough|insufficient)\ (?:\w+\ ){{0,2}}(?:information|mention|details?|answer|data))
    |\b(?:is|are|was|were)\ (?:not|n[’']t)\ (?:explicitly\ |directly\ |specifically\ |clearly\ )?(?:mentioned|specified|stated|provided|included|given|found|covered|
        addressed|described|listed|discussed)\b
        [^.]{{0,30}}\b(?:in|by|from)\ {_SOURCE}
    |\b(?:(?:is|are|was|were)\ not|isn[’']t|aren[’']t|wasn[’']t|weren[’']t)\ (?:explicitly\ |directly\ |specifically\ )?(?:mentioned|specified|stated|listed|
        disclosed|documented)(?:\ (?:there|here|anywhere))?[.!]?$
    |\bthere\ (?:is|are|was|were)\ no\ (?:\w+\ ){{0,2}}(?:information|mention|details?)\b
    |\bno\ (?:\w+\ ){{0,2}}(?:information|mention|details?)\ (?:(?:is|are|was|were)\ )?(?:provided|available|given|found|about|on|regarding|in\ the)
    |\b(?:i|we)\ (?:am\ |are\ |was\ |were\ )?(?:{_NEG}|unable\ to|not\ able\ to)\ (?:\w+ly\ )?(?:know|find|have\ (?:any\ |enough\ |specific\ |access\ |the\ |that\ |
        more\ ){{1,2}}|locate|determine|tell|answer|say|see\ (?:any|that))\b
    |\b(?:i|we)(?:[’']m|[’']re|\ am|\ are)\ (?:not\ (?:sure|certain|aware)|unsure|unable\ to|unaware)\b
    |\b(?:cannot|can[’']t|could\ not|couldn[’']t)\ be\ (?:answered|determined|inferred)\b
    |\b(?:it\ is|it[’']s)\ (?:un|not\ )clear\ (?:from|what|which|whether|if|how|who|why)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HEDGE = re.compile(r"(?:although|while|though|even\ though|whereas)\b[^,;]{4,200},\s+(?=\S)", re.IGNORECASE)
_CHINESE_SOURCE = r"(?:文档|文件|资料|上下文|文章|材料|段落|知识库|手册|说明书|原文|文中|(?:提供|检索|给出|已知|现有|相关)的?(?:信息|内容|数据))"
_CHINESE_NOT_SAID = re.compile(
    rf"{_CHINESE_SOURCE}[^，。；]{{0,16}}(?:没有|没|并未|未|不)(?:明确|具体|直接|有)?(?:地)?(?:提到|提及|提供|说明|给出|包含|包括|涉及|记载|指出|显示|介绍|描述|列出|写明|回答)"
    rf"|(?:没有|没|并未|未|无)(?:在)?{_CHINESE_SOURCE}[^，。；]{{0,12}}(?:找到|提到|提及|说明|给出|查到)"
    r"|(?:没有|没能?|未能?|无法)(?:找到|查到|检索到|查询到)[^，。；]{0,16}(?:信息|资料|内容|答案|记录|文档|说明)"
    r"|(?:我|我们)(?:也|并|目前|暂时|确实|还)?(?:不知道|不清楚|不确定|不了解|不太清楚|无法(?:回答|确定|得知|判断|提供|给出|确认|帮|协助)|不能(?:回答|提供|确定|给出|确认))"
    r"|(?:^|[，,；])(?:很?抱歉|对不起|不好意思|很?遗憾|非常抱歉)?[，,]?(?:目前|暂时)?(?:无法|不能)(?:回答|确定|得知|判断|提供|给出|从|根据|确认)"
    r"|(?:因此|所以|故)[，,]?(?:我)?(?:无法|不能)(?:回答|确定|得知|判断|提供|给出)"
    r"|^(?:不知道|不清楚|不详|未知|未提及|未说明|暂无(?:相关)?(?:信息|资料|数据)|无相关信息|没有(?:相关)?(?:信息|答案))[。！.]?$"
    r"|没有(?:足够|相关|任何)?(?:的)?(?:信息|资料|依据|内容)(?:来|可以|可供|能够|用于)?(?:回答|确定|判断|说明)"
    r"|(?:信息|资料|内容|上下文)(?:不足|不够|有限)"
)
_CHINESE_POINTS = re.compile(
    r"建议|请(?:您|你)?(?:查阅|咨询|联系|参考|访问|提供|查看|查询)|如需|可以(?:咨询|联系|查阅|参考|尝试)|欢迎|(?:更多|进一步|详细)(?:的)?(?:信息|资料|细节)|抱歉|对不起|很遗憾"
)
_OF_THE_USER = re.compile(r"\b(?:you|your)\b|[您你]", re.IGNORECASE)
_SEVERAL = re.compile(
    r"(?:there (?:are|is)|we (?:have|offer|sell)|i (?:see|found)|several|multiple|(?:it|that|this) depends)\b|有.{0,4}[两几三多]|(?:这|要看)",
    re.IGNORECASE,
)
_NEEDS = re.compile(
    r"""
    \b(?:i|we)(?:[’']d|[’']ll|\ would|\ will|\ may|\ might)?\ (?:just\ |also\ )?(?:need|require)\ (?:to\ know|(?:some|a\ (?:bit|little|few)|any)?\ ?(?:more|
        additional|further|the\ following|some)\b|you\ to|your\b)
    |\b(?:could|can|would|will)\ you\ (?:please\ |kindly\ |also\ )?(?:clarify|specify|tell|share|provide|confirm|let\ me\ know|give|describe|elaborate|send|rephrase|be\ more)\b
    |^please\ (?:also\ )?(?:clarify|specify|tell\ me|share|provide|confirm|let\ me\ know\ (?:which|what|whether|if|the|your)|give\ me|describe|rephrase)\b
    |(?:请|能否|可否|麻烦|可以)(?:您|你)?(?:告诉|提供|说明|补充|具体|确认|描述|澄清)
    |(?:我|我们)?需要(?:更多|进一步|您的?|知道|了解)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def declines(sentence: str, *, language: str = "en") -> bool:
    """Whether a sentence declines to answer, in any way: a refusal, too."""
    return (_CHINESE_NOT_SAID if language == "zh" else _ABSTAINS).search(sentence) is not None


def says_not_found(sentence: str, *, language: str = "en") -> bool:
    """Whether a sentence says that something is not in the documents or not known, and no more: narrower than `declines`."""
    return (_CHINESE_NOT_SAID if language == "zh" else _NOT_SAID).search(sentence) is not None


def says_nothing(sentence: str, *, language: str = "en") -> bool:
    """A refusal, a referral elsewhere, or a remark about the sources: no answer to the question."""
    if language == "zh":
        return declines(sentence, language="zh") or _CHINESE_POINTS.search(sentence) is not None
    return any(pattern.search(sentence) for pattern in (_ABSTAINS, _POINTS_ELSEWHERE, _ABOUT_SOURCE))


def refuses(sentence: str) -> bool:
    """Whether a sentence says that one will not, or may not."""
    return _REFUSES.search(sentence) is not None


def i_refuse(sentence: str) -> bool:
    """Whether a sentence begins with what the one who answers will not do, or may not."""
    return _I_REFUSE.match(sentence) is not None


def lectures(sentence: str) -> bool:
    """Whether a sentence says what people should do rather than what was asked: it goes with refusals."""
    return _LECTURE.search(sentence) is not None


def apologises(text: str) -> bool:
    """Whether a text begins with an apology."""
    return _APOLOGY.search(text) is not None


def turns(sentence: str) -> bool:
    """Whether a sentence begins to answer after all: "However", "In general"."""
    return _TURNS.match(sentence) is not None


def answers(text: str) -> bool:
    """Whether a text begins with a plain yes."""
    return _ANSWERS.match(text) is not None


def answers_after_all(sentence: str) -> bool:
    """ "The documents do not say X, but Y": something is said after the hedge that is not itself a refusal or a referral."""
    match = _HEDGED_LEAD.search(sentence)
    if not match:
        return False
    rest = match["rest"]
    said = not _ABSTAINS.search(rest) and not _POINTS_ELSEWHERE.search(rest)
    return said and bool(_ABSTAINS.search(sentence[: match.start()]))


def hedge(sentence: str) -> int:
    """Where a sentence begins after "While the price is not given," or "I am not sure, but"; 0 where it does not begin so."""
    if answers_after_all(sentence) and (after := _HEDGED_LEAD.search(sentence)):
        return after.start("rest")
    match = _HEDGE.match(sentence)
    return match.end() if match and _ABSTAINS.search(match[0]) else 0


def needs_more(sentence: str) -> bool:
    """Whether a sentence asks the user for more, with a question mark or without."""
    return _NEEDS.search(sentence) is not None


def asks_user(question: str) -> bool:
    """Whether a question is about the user."""
    return _OF_THE_USER.search(question) is not None


def names_choices(sentence: str) -> bool:
    """Whether a sentence says between what a question back is to choose."""
    return _SEVERAL.match(sentence) is not None
