"""Values in Chinese: 3.5万元, 百分之十二, 2024年3月5日, 14天, 下午5点."""

from __future__ import annotations

from dataclasses import replace

from sidecar.inference.values.han_numerals import DIGITS, han, numeral
from sidecar.inference.values.han_words import (
    AFTERNOON,
    AND_MORE,
    BEFORE_REPUBLIC,
    COUNTED,
    COUNTED_POINTS_BEFORE,
    DAYTIMES,
    EACH,
    EVENLY,
    LONGEST_NAME,
    MONEY,
    NO_CLOCK_BEHIND,
    NO_TENTHS_BEHIND,
    NOON,
    OF_REPUBLIC,
    OTHERS_BEHIND,
    REPUBLIC,
    SCHOOL_YEAR,
    THINGS,
    UNITS,
    YUAN,
)
from sidecar.inference.values.numbers import Number, Tokens
from sidecar.inference.values.tokens import Token
from sidecar.inference.values.value import Date, Hedge, Kind, Value

_SHARES = {"百分之": 1.0, "千分之": 0.1, "万分之": 0.01, "萬分之": 0.01}
_HUNDRED = 100
_YEARS_OF_DECADE, _OF_LAST_CENTURY = "年代", 1900
_FOLDED = frozenset("叠疊")
_PARTS_OF_YEAR = frozenset("上下前后後")
_HALF_OF = frozenset("价價数數票")
_TIMES = frozenset({"s", "min", "h", "day", "week", "month", "year"})
_HALVED = _TIMES | {"jin", "mu"}
_QUARTERS = {"一刻": 0.25, "三刻": 0.75}
_QUARTER_TO = "差一刻"
_CLOCK = frozenset("点點时時")
_WITHIN_CLOCKS = _CLOCK | frozenset("分半到至-~:")
_FAR = 8
_MONTHS_OF_QUARTER = 3
_RANGES = frozenset({"至", "到", "-", "~", "或"})
_BELOW_ZERO, _SMALL_HOURS = "零下", "凌晨"


def chinese_at(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """The value that begins at token n, in figures or characters, and the token after it."""
    share = _SHARES.get(han(tokens, n, 3))
    if share:
        of = numeral(tokens, n + 3)
        return _value(tokens, n, of.end, Kind.PERCENT, replace(of, amount=share * of.amount)) if of else None
    if tokens[n].text == "第":
        return _ordinal(tokens, n)
    number = numeral(tokens, n)
    if number is None:
        return _half(tokens, n)
    if _is_each(tokens, n, number) or _is_century_of_decade(tokens, number):
        return None
    return (
        _parted(tokens, n, number)
        or _decade(tokens, n, number)
        or _date(tokens, n, number)
        or _clock(tokens, n, number)
        or _measure(tokens, n, number)
    )


def _is_each(tokens: Tokens, n: int, number: Number) -> bool:
    """一日3次, 一次0.5克: what the value behind it is of."""
    alone = tokens[n].text == "一" and number.end == n + 1 and tokens[n + 1].text in EACH
    return alone and (tokens[n + 2].kind == "number" or numeral(tokens, n + 2) is not None)


def _is_century_of_decade(tokens: Tokens, number: Number) -> bool:
    """20世纪 of 20世纪90年代, which says nothing more."""
    decade = numeral(tokens, number.end + 2) if han(tokens, number.end, 2) in ("世纪", "世紀") else None
    return decade is not None and han(tokens, decade.end, 2) == _YEARS_OF_DECADE


def _decade(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """90年代, 1990年代."""
    if han(tokens, number.end, 2) != _YEARS_OF_DECADE or number.amount % 10:
        return None
    decade = int(number.amount) + (_OF_LAST_CENTURY if number.amount < _HUNDRED else 0)
    end = number.end + 2
    dates = (Date(decade=decade),)
    return Value(kind=Kind.DATE, start=tokens[n].start, end=tokens[end - 1].end, dates=dates), end


def _half(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """半年, 半小时, 半个月: half of a unit of time."""
    if tokens[n].text != "半" or tokens[n - 1].text in COUNTED | _PARTS_OF_YEAR:
        return None
    found = _measure(tokens, n, Number(0.5, 0.0, n + 1, figures=False))
    return found if found and found[0].kind is Kind.QUANTITY and found[0].unit in _TIMES else None


def _parted(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """三分之一, 八折 and 85折, 三成: shares. Eight tenths of the price are left at 八折."""
    if han(tokens, number.end, 2) == "分之" and number.amount:
        above = numeral(tokens, number.end + 2)
        share = Number(_HUNDRED * above.amount / number.amount, 0.0, above.end, figures=False) if above else None
        return _value(tokens, n, share.end, Kind.PERCENT, share) if share else None
    if tokens[number.end].text == "折" and 0 < number.amount < _HUNDRED and tokens[number.end + 1].text not in _FOLDED:
        tenths = number.amount * (1 if number.amount > 10 else 10)
        return _value(tokens, n, number.end + 1, Kind.PERCENT, Number(tenths, 0.0, number.end, figures=False))
    if (
        tokens[number.end].text == "成"
        and 0 < number.amount <= 10
        and tokens[number.end + 1].text not in NO_TENTHS_BEHIND
    ):
        end = number.end + 2 if tokens[number.end + 1].text == "半" else number.end + 1
        tenths = 10 * number.amount + (5 if end > number.end + 1 else 0)
        return _value(tokens, n, end, Kind.PERCENT, Number(tenths, 0.0, end, figures=False))
    return None


def _value(tokens: Tokens, n: int, end: int, kind: Kind, number: Number, unit: str = "") -> tuple[Value, int]:
    start, last = tokens[n].start, tokens[end - 1].end
    return Value(kind=kind, start=start, end=last, amount=number.amount, step=number.step, unit=unit), end


def _ordinal(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    number = numeral(tokens, n + 1)
    if number is None:
        return None
    if han(tokens, number.end, 2) == "季度" and 1 <= number.amount <= 4:
        dates = (Date(quarter=int(number.amount)),)
        return Value(kind=Kind.DATE, start=tokens[n].start, end=tokens[number.end + 1].end, dates=dates), number.end + 2
    return _value(tokens, n, number.end, Kind.ORDINAL, number)


def _date(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """2024年3月5日, 2024年3月, 3月5日, 3月, 2024年, 民国112年. 三年 is a duration."""
    end, parts = n, dict[str, int]()
    for name in "年月日":
        own = numeral(tokens, end)
        if (
            own
            and own.amount % 1 == 0
            and (
                tokens[own.end].text == name
                or (name == "日" and parts.get("月") and tokens[own.end].text in ("号", "號"))
            )
        ):
            parts[name], end = int(own.amount), own.end + 1
        elif own and name == "年" and own.amount in OF_REPUBLIC and han(tokens, own.end, 3) in SCHOOL_YEAR:
            parts[name], end = int(own.amount), own.end + 2
    if (parts.get("年", 0) < max(OF_REPUBLIC) and han(tokens, n - 2, 2) in REPUBLIC) or (
        parts.get("年") in OF_REPUBLIC and ("月" in parts or tokens[end].text == "度")
    ):
        parts["年"] = parts.get("年", 0) + BEFORE_REPUBLIC
    if not parts or parts.keys() == {"日"} or not 1 <= parts.get("月", 1) <= 12 or not 1 <= parts.get("日", 1) <= 31:
        return None
    if "年" in parts and not 1000 <= parts["年"] < 2200:
        return None
    dates = (Date(parts.get("年"), parts.get("月"), parts.get("日")),)
    return Value(kind=Kind.DATE, start=tokens[n].start, end=tokens[end - 1].end, dates=dates), end


def _clock(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """下午5点, 10点30分, 晚9点; 以下两点 and 步骤2点击 are none."""
    if tokens[number.end].text not in _CLOCK or number.amount > 24 or number.amount % 1:
        return None
    daytime = _daytime(tokens, n)
    end, hours = number.end + 1, _hour(number.amount, daytime)
    minutes = numeral(tokens, end)
    if minutes and tokens[minutes.end].text == "分" and minutes.amount < 60:
        hours, end = hours + minutes.amount / 60, minutes.end + 1
    elif tokens[end].text == "半":
        hours, end = hours + 0.5, end + 1
    elif (quarter := han(tokens, end, 2)) in _QUARTERS:
        hours, end = hours + _QUARTERS[quarter], end + 2
    elif minutes and 10 <= minutes.amount < 60 and minutes.end > end + 1 and _ends_clock(tokens[minutes.end]):
        hours, end = hours + minutes.amount / 60, minutes.end
    elif not daytime and tokens[number.end].text in "点點" and _counts_points(tokens, n, number):
        return None
    if han(tokens, n - 3, 3) == _QUARTER_TO:
        hours -= 0.25
    start = _begin(tokens, n)
    dial = not daytime and tokens[number.end].text in "点點" and 1 <= number.amount <= 12
    return Value(kind=Kind.TIME, start=start, end=tokens[end - 1].end, amount=hours, unit="h", dial=dial), end


def of_daytime(tokens: Tokens, n: int, value: Value) -> Value:
    """A time in figures, "3:00", at token n: of the half of the day that Chinese words before it name, 下午3:00."""
    daytime = _daytime(tokens, n) if tokens[n - 1].kind == "han" or tokens[n - 2].kind == "clock" else ""
    hours = _hour(value.amount // 1, daytime) + value.amount % 1
    return replace(value, amount=hours, start=_begin(tokens, n)) if daytime else value


def _begin(tokens: Tokens, n: int) -> int:
    """Where a time begins whose figures are at token n, with 下午 or the like right before them."""
    return tokens[n - 2 if han(tokens, n - 2, 2) in DAYTIMES else n].start


def _ends_clock(after: Token) -> bool:
    """Whether minutes without 分 end there, and count nothing: 六点四十五出发."""
    return after.kind != "han" or after.text in "前后後到出开開起结結关關下上"


def _counts_points(tokens: Tokens, n: int, number: Number) -> bool:
    """Whether 点 is a point that is made, or the beginning of another word; 一点 is mostly "a little"."""
    return (
        tokens[number.end + 1].text in NO_CLOCK_BEHIND
        or (not number.figures and tokens[n - 1].text in COUNTED_POINTS_BEFORE)
        or (tokens[n].text == "一" and number.end == n + 1)
    )


def _daytime(tokens: Tokens, n: int) -> str:
    """下午 or the like before token n, or before the beginning of a range that ends there; empty where there is none."""
    for k in range(n - 1, n - 1 - _FAR, -1):
        if (said := han(tokens, k - 1, 2)) in DAYTIMES:
            return said
        if tokens[k].text == "晚":
            return "晚上"
        if (
            tokens[k].kind not in ("number", "clock")
            and tokens[k].text not in _WITHIN_CLOCKS
            and tokens[k].text not in DIGITS
        ):
            return ""
    return ""


def _hour(hour: float, daytime: str) -> float:
    if daytime in AFTERNOON:
        return hour + 12 if hour < 12 else hour % 12 if hour == 12 and daytime != "下午" else hour
    if daytime == NOON and hour < 3:
        return hour + 12
    return 0.0 if daytime == _SMALL_HOURS and hour == 12 else hour


def _measure(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """A number with its unit, or a plain one; 零下18度 is below zero."""
    if han(tokens, n - 2, 2) == _BELOW_ZERO:
        number = replace(number, amount=-number.amount)
    if tokens[number.end].text == "%":
        return _value(tokens, n, number.end + 1, Kind.PERCENT, number)
    if han(tokens, number.end, 2) in ("个半", "個半") and number.amount % 1 == 0:
        number = replace(number, amount=number.amount + 0.5, end=number.end + 2)
        if tokens[number.end].text == "月":
            return _value(tokens, n, number.end + 1, Kind.QUANTITY, number, "month")
    if found := _with_unit(tokens, n, number, number.end):
        return found
    if found := _and_more(tokens, n, number):
        return replace(found[0], hedge=Hedge.LEAST), found[1]
    return _value(tokens, n, number.end, Kind.NUMBER, number) if _is_plain(tokens, n, number) else None


def _and_more(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """300多元, 3个多月: more than that."""
    if tokens[number.end].text in AND_MORE:
        return _with_unit(tokens, n, number, number.end + 1)
    if tokens[number.end].text in ("个", "個") and tokens[number.end + 1].text == "多":
        if tokens[number.end + 2].text == "月":
            return _value(tokens, n, number.end + 3, Kind.QUANTITY, number, "month")
        return _with_unit(tokens, n, number, number.end + 2)
    return None


def _with_unit(tokens: Tokens, n: int, number: Number, at: int) -> tuple[Value, int] | None:
    """The number with the unit or the currency that stands at a token, or with the currency before it: 港币500元."""
    for length in range(LONGEST_NAME, 0, -1):
        name = han(tokens, at, length)
        if len(name) != length or not _is_unit(tokens, n, number, name, at):
            continue
        if name in MONEY:
            before = _currency_before(tokens, n) if name in YUAN else ""
            number, end = _with_tenths(tokens, number, at + length) if name in ("块", "塊") else (number, at + length)
            return _value(tokens, n, end, Kind.MONEY, number, before or MONEY[name])
        if name in UNITS:
            number, end = _with_tenths(tokens, number, at + length) if name == "米" else (number, at + length)
            if UNITS[name] == "quarter":
                number = replace(number, amount=_MONTHS_OF_QUARTER * number.amount)
                return _value(tokens, n, end, Kind.QUANTITY, number, "month")
            return _with_half(tokens, n, number, end, UNITS[name])
    before = _currency_before(tokens, n)
    return _value(tokens, n, at, Kind.MONEY, number, before) if before and at == number.end else None


def _with_tenths(tokens: Tokens, number: Number, at: int) -> tuple[Number, int]:
    """1米75, 一米八, 三块五: what stands behind the unit are its tenths, or hundredths."""
    token = tokens[at]
    if token.kind == "number" and tokens.joined(at) and token.text.isdecimal() and tokens[at + 1].kind != "han":
        tenths = int(token.text[:2]) / 10 ** len(token.text)
        return (
            (replace(number, amount=number.amount + tenths, step=0.0), at + 1) if len(token.text) < 3 else (number, at)
        )
    if token.text in DIGITS and tokens[at + 1].kind != "han":
        return replace(number, amount=number.amount + DIGITS[token.text] / 10, step=0.0), at + 1
    return number, at


def _currency_before(tokens: Tokens, n: int) -> str:
    names = [(length, han(tokens, n - length, length)) for length in range(LONGEST_NAME, 1, -1)]
    return next((MONEY[name] for length, name in names if len(name) == length and name in MONEY), "")


def _is_unit(tokens: Tokens, n: int, number: Number, name: str, at: int) -> bool:
    """Whether a word is a unit here: 两块电池 are no money, 两度 is "twice", 百度 and 升级 are other words."""
    behind = tokens[at + len(name)]
    if name in ("块", "塊"):
        return behind.text not in THINGS if number.figures else behind.kind != "han" or behind.text in DIGITS
    if name == "度":
        return number.figures or number.end > n + 1
    return behind.text not in OTHERS_BEHIND.get(name, "") or not behind.text


def _is_plain(tokens: Tokens, n: int, number: Number) -> bool:
    """Whether a number without a unit is a value: of more than one character, of what is counted, or the beginning of a range. 一个 is an article."""
    if number.figures or number.end > n + 1:
        return True
    behind = tokens[number.end].text
    if tokens[n].text == "一" and behind in COUNTED:
        return tokens[n - 1].text in EVENLY
    return behind in COUNTED or (behind in _RANGES and numeral(tokens, number.end + 1) is not None)


def _with_half(tokens: Tokens, n: int, number: Number, end: int, unit: str) -> tuple[Value, int]:
    """两年半 and 两个半小时 are two and a half; 一半 is no part of it."""
    if tokens[end].text == "半" and tokens[end + 1].text not in _HALF_OF and unit in _HALVED and number.amount % 1 == 0:
        return _value(tokens, n, end + 1, Kind.QUANTITY, replace(number, amount=number.amount + 0.5), unit)
    return _value(tokens, n, end, Kind.QUANTITY, number, unit)
