"""Chinese text: whether it is, its sentences, and the statements that a sentence joins. By marks and characters, without a dictionary."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sidecar.evaluate.text.han_script import simplified
from sidecar.evaluate.text.marked import Marked

_HAN = re.compile(r"[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_END = re.compile(r"[。！？!?；;]++[”’」』）)]*+")
# Marks inside these end no sentence.
_WHOLE = re.compile(
    r"（[^（）\n]{0,300}）|\([^()\n]{0,300}\)|“[^“”\n]{0,300}”|「[^「」\n]{0,300}」|『[^『』\n]{0,300}』|https?://[^\s，。；！）》”\u3400-\u9fff]++"
)
# 为：1）…；2）…, 以下条件：…；…
_NUMBERED = re.compile(r"\s{0,3}+(?:[（(]?[一二三四五六七八九十\d]{1,2}[）)]|[①-⑳])")
_LISTS = re.compile(r"(?:以下|下列|如下|包括)[^：:。]{0,20}[：:]")
_QUOTES = frozenset("“「『")
_GOES_ON = frozenset("，、的这是；")
_JOINT = re.compile(
    r"[，,]\s*+(?P<word>但是|但(?!凡)|而且|并且|并(?!非|列|未|购|排|行|由)|同时还|同时|此外|另外|而(?!是|非|后|今|言)|且(?!慢)|不过(?!是)|然而)"
)
_SHARES = frozenset(("并且", "并", "且", "而且", "同时还"))
_TAKES_SUBJECT = re.compile(r"(?:不(?!同)|需|仅|还(?![款原债清贷])|也|可|应(?!用)|禁止|支持|提供)")
_CONDITION = re.compile(r"\A[^。；]{0,40}?的[，,]")
_EXCEPT = re.compile(r"除外[。；]?$")
_HANGS = re.compile(
    r"如果|若|假如|要是|虽然|尽管|即使|除非|只有|只要|因为|由于|无论|不管|不仅|不但|既|当.{1,12}时|[“「『（(][^”」』）)]{0,200}$"
)
_PRONOUNS = "他她它您你我"
# What no subject begins with: a sentence without one is not cut.
_NO_SUBJECT = "(?!不|没|无|可|应|需|须|要|经|请|如|仅|已|将|现在|目前|此外|另外|根据|由于)"
# Characters that are a verb, but for the words that they are only a part of.
_VERBS = (
    r"是(?!否)|(?<![华成认作分名称])为|(?<![用属位高低等毕对关由至处源限])于|(?<![现存所正内潜实])在(?!线)|将(?!军)|被(?!子)|(?<![自理缘])由(?!于)|(?<![许认])可(?!乐|能性)|"
    r"[需须](?!求)|(?<![供反适效响对])应(?!用|收|付)|(?<![委协社大工学商员金])会(?![员议计])|(?<![智功性节职才动技])能(?![源力])|已(?!婚)|曾|从(?!事)|有(?!限|色|机|效|关|期)|不(?!锈)|没|无(?!人|线|锡)|"
    r"适用于?|用于|属于|位于|毕业|设[在有立于]|低于|高于|来自|免费|发表|提出|出生|成立|支持|提供|包括|采用|获得|覆盖|分为|成为"
)
_SUBJECT = re.compile(
    rf"^{_NO_SUBJECT}(?P<subject>[{_PRONOUNS}](?=[是为于在将被可应需会能已曾从有不没毕出])|[^，,：:；;]{{2,18}}?)(?={_VERBS})"
)
# What is measured, and what can be said of it: 保修期为两年，并且可以免费退货 says the second of something else.
_MEASURED = tuple("期 期间 期限 时间 时长 价 价格 费 费用 金 金额 额 额度 重量 容量 面积 长度 高度".split())
_DONE_BY_OTHERS = re.compile(
    r"(?:可以?|能够?|支持|提供|免费)(?![^，。；]{0,8}(?:延|续|缩|顺延|调|累|分期|支付|缴|退还|抵|减|报销|转|变|超|低|高|达|涨|降|协商|议|优惠|计|算))"
)
_PLACES = ("总部", "现", "所")  # subjects that are cut within a word
_VERB = re.compile(
    r"[是有在于可需应会能将被由没不无已曾]|发[布生放送给]|提|包|采|获|成|出|达|设[有立置]|建[立成]|开[始通放设]|收[取到费]|退|使|支持|支付|保[修持留]|导致|造成|引起|负责|携带|填写|更换|具备"
)
_MOST_SHARE = 0.2
_LEAST = 5


def language(text: str) -> str:
    """`zh` where a fifth of the letters are Chinese characters, else `en`."""
    if text.isascii():
        return "en"
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(_HAN.findall(text)) >= _MOST_SHARE * letters else "en"


def sentences(text: Marked) -> Iterator[Marked]:
    """Sentences; a semicolon ends one too, none within brackets, quotes and addresses, but where a quote is all that follows."""
    start = 0
    for end, marks in _ends(text.text):
        if (own := text.cut(start, start + len(text.text[start:end].rstrip("；;")) if marks else end)).text:
            yield own
        start = end


def _ends(text: str) -> Iterator[tuple[int, bool]]:
    """Where sentences end, and whether marks end them."""
    wholes = (match.span() for match in _WHOLE.finditer(text))
    start = end = begun = 0
    for match in _END.finditer(text):
        while end <= match.start():
            start, end = next(wholes, (len(text), len(text) + 1))
        behind = text[match.end() : match.end() + 1]
        if start <= match.start():
            closes = text[start] in _QUOTES and match.end() >= end and behind not in _GOES_ON
            if not closes:
                continue
        elif match[0][0] in "；;" and (_NUMBERED.match(text, match.end()) or _LISTS.search(text, begun, match.start())):
            continue
        elif match[0] in "!?" and text[match.start() - 1 : match.start()].isascii() and behind.isalnum():
            continue  # Yahoo!成立于1994年
        yield match.end(), True
        begun = match.end()
    yield len(text), False


def is_sentence(text: str) -> bool:
    """Whether a text has a verb, as far as its characters tell."""
    return len(text) > _LEAST and _VERB.search(simplified(text)) is not None


def joints(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a sentence may be cut: (end of the first part, begin of the second, what must stand before the second)."""
    folded = simplified(text)
    at = 0
    known = ""
    for match in _JOINT.finditer(folded):
        first = folded[at : match.start()]
        if _HANGS.search(first):
            return
        if len(first) < _LEAST or len(text) - match.end() < _LEAST or _EXCEPT.search(folded, match.end()):
            continue
        if _CONDITION.match(folded[match.end() :]):
            return
        subject = _SUBJECT.match(first)
        if subject and not subject["subject"].endswith(_PLACES):
            known = text[at + subject.start("subject") : at + subject.end("subject")]
        shares = match["word"] in _SHARES
        apart = simplified(known).endswith(_MEASURED) and _DONE_BY_OTHERS.match(folded, match.end())
        if shares and (not known or apart):
            continue
        yield (
            match.start(),
            match.end(),
            known if not apart and (shares or _TAKES_SUBJECT.match(folded, match.end())) else "",
        )
        at = match.end()
