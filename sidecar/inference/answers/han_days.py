"""Chinese weekdays on which something is open: "周三开放" and "周一闭馆" of "周二至周日开放"."""

from __future__ import annotations

import re

from sidecar.inference.answers.han_reading import DENIED, told_apart

_OPENS = r"(?:开放|营业|办理|开诊|应诊|派送|配送|送货|上班|服务|运行|接待|开门|开馆|受理|值班|发车|提供|开课|上课|可预约|开业)"
_OPEN = re.compile(_OPENS)
_SHUT = re.compile(rf"闭馆|闭店|闭园|休息|休馆|公休|店休|停诊|关门|关闭|不(?:对外)?{_OPENS}|休业|停业")
_DAY = r"(?:周|星期|礼拜)(?P<{0}>[一二三四五六日天])"
_RANGE = re.compile(_DAY.format("one") + r"(?:至|到|—|–|-|~|～)(?:周|星期|礼拜)?(?P<other>[一二三四五六日天])")
_ONE = re.compile(_DAY.format("day"))
_MORE = re.compile(r"(?:周|星期|礼拜)[一二三四五六日天](?P<more>(?:[、和及][一二三四五六日天](?![至到]))+)")
_GROUPS = {"周末": (5, 6), "双休日": (5, 6), "工作日": (0, 1, 2, 3, 4), "平日": (0, 1, 2, 3, 4)}
_EVERY = re.compile(r"每天|每日|天天|全年无休|全周|一周七天")
_BUT = re.compile(r"除(?:了)?(?P<days>[^，,。]{1,12}?)(?:以外|之外|外)|(?P<behind>(?:周|星期)[^，,。]{1,8}?)除外")
_ELSE = re.compile(r"节假日|法定|如果|若|上旬|每月|第[一二三四]个|上周|下周|本周|这周|预约")
_NUMBER = {name: n for n, names in enumerate(("一", "二", "三", "四", "五", "六", "日天")) for name in names}
_HOURS = re.compile(r"\d[点:：时]|[上下中]午|早上|晚上")
_HALF = re.compile(r"上午|下午|中午|早上|晚上|夜间|全天")
_EXTRA = re.compile(r"停[运止办]|暂停|照常|其中|只是")
_BARE = re.compile(
    rf"(?:周|星期|礼拜)[一二三四五六日天末]|(?:至|到)[一二三四五六日天]|工作日|双休日|{_OPENS}|闭馆|休息|可以|请问|你们|对外|时间|[吗呢么？?]"
)
_PARTS = re.compile("[，,；;]")
_WEEK = frozenset(range(7))
_LEAST_NAMED = 3  # days one by one that leave the others out
_YES, _NO = re.compile(r"\A(?:是|对|可以|能|会|有|开|营业)"), re.compile(r"\A(?:不|否|没有)")


def days(question: str, claim: str, sentence: str) -> bool | None:
    """Whether a sentence says of the days that a claim, or its question, names what it says of them; None where that is not plain."""
    if sum(bool(_named(one)) for one in _PARTS.split(sentence)) > 1 or _EXTRA.search(sentence):
        return None
    halves = frozenset(_HALF.findall(sentence))
    if (halves and _SHUT.search(sentence)) or frozenset(_HALF.findall(f"{question}{claim}")) - halves:
        return None
    matter = told_apart(_BARE.sub(" ", question))
    if matter and told_apart(_BARE.sub(" ", sentence)) and not matter & told_apart(sentence):
        return None
    opened = _opened(sentence)
    own = _named(claim) or _named(question)
    if opened is None or not own or _ELSE.search(f"{claim}{question}"):
        return None
    said = _says_open(claim, question)
    if said is None or not (own <= opened or own.isdisjoint(opened)):
        return None
    holds = (own <= opened) == said
    return None if holds and _HOURS.search(claim) else holds


def _says_open(claim: str, question: str) -> bool | None:
    if _SHUT.search(claim):
        return None if _OPEN.search(_SHUT.sub("", claim)) else False
    if _OPEN.search(claim):
        return DENIED.search(claim) is None
    if not _OPEN.search(question) or _SHUT.search(question) or DENIED.search(question):
        return None
    if _NO.match(claim):
        return False
    return True if _YES.match(claim) else None


def _opened(sentence: str) -> frozenset[int] | None:
    """The days on which a sentence says that something is open, where that leaves others out."""
    named, shut = _named(sentence), _SHUT.search(sentence) is not None
    if _ELSE.search(sentence) or not named or not (shut or _OPEN.search(sentence)):
        return None
    if (but := _BUT.search(sentence)) is not None:
        left = _named(but["days"] or but["behind"])
        return _WEEK - left if left and named == left and not shut else None
    if shut:
        return _WEEK - named if not _OPEN.search(_SHUT.sub("", sentence)) else None
    if DENIED.search(sentence) or _EVERY.search(sentence):
        return None
    return (
        named
        if _RANGE.search(sentence) or len(named) >= _LEAST_NAMED or any(one in sentence for one in _GROUPS)
        else None
    )


def _named(text: str) -> frozenset[int]:
    found = set[int]()
    for one in _RANGE.finditer(text):
        first, last = _NUMBER[one["one"]], _NUMBER[one["other"]]
        found.update((first + n) % 7 for n in range((last - first) % 7 + 1))
    found.update(_NUMBER[one["day"]] for one in _ONE.finditer(text))
    for one in _MORE.finditer(text):
        found.update(_NUMBER[each] for each in one["more"] if each in _NUMBER)
    for name, group in _GROUPS.items():
        if name in text:
            found.update(group)
    return frozenset(found)
