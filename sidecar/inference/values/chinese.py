"""Values in Chinese: 3.5万元, 百分之十二, 2024年3月5日, 14天, 下午5点."""

from __future__ import annotations

from dataclasses import replace

from sidecar.inference.values.numbers import Number, Tokens, amount_of
from sidecar.inference.values.value import Date, Kind, Value

# Also as cheques have them, and two in each script.
_DIGITS = {
    char: n
    for row in ("零一二三四五六七八九", "〇壹贰叁肆伍陆柒捌玖", "〇壹貳參肆伍陸柒捌玖")
    for n, char in enumerate(row)
}
_DIGITS |= {"两": 2, "兩": 2}
_TENS = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_TWENTIES = {"廿": 20, "卅": 30}
_SCALES = {"万": 1e4, "亿": 1e8, "萬": 1e4, "億": 1e8}
_POINTS = frozenset("点點")
_OF_CLOCK = frozenset("分刻")
_HUNDRED = 100
_LARGEST = 1e12
_UNITS = {
    "毫克": "mg", "公斤": "kg", "千克": "kg", "克": "g", "吨": "t", "毫升": "ml", "升": "l", "公里": "km", "千米": "km", "厘米": "cm", "毫米": "mm",
    "米": "m", "小时": "h", "分钟": "min", "秒": "s", "天": "day", "日": "day", "周": "week", "星期": "week", "个星期": "week", "个月": "month", "年": "year",
    "公噸": "t", "噸": "t", "公釐": "mm", "公分": "cm", "小時": "h", "個小時": "h", "分鐘": "min", "個月": "month", "個星期": "week", "週": "week",
    "公頃": "ha", "攝氏度": "°C", "个小时": "h", "千瓦": "kW", "摄氏度": "°C", "公顷": "ha", "平方米": "m²",
}  # fmt: skip
_MONEY = {
    "美元": "USD",
    "欧元": "EUR",
    "歐元": "EUR",
    "英鎊": "GBP",
    "人民幣": "CNY",
    "新台幣": "TWD",
    "英镑": "GBP",
    "日元": "JPY",
    "人民币": "CNY",
    "港元": "HKD",
    "元": "CNY",
    "块": "CNY",
}
_PARTS_OF_YEAR = frozenset("上下前后後")
_HALF_OF = frozenset("价價数數票")
_TIMES = frozenset({"s", "min", "h", "day", "week", "month", "year"})
_COUNTED = frozenset("个個名人次位家件种種本台项項场場条條只隻张張岁歲倍")
_LONGEST_NAME = 3
_LONGEST_NUMERAL = 16
_AFTERNOON = frozenset({"下午", "晚上"})
_DAYTIMES = _AFTERNOON | {"上午", "早上", "凌晨", "中午", "半夜"}


def chinese_at(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """The value that begins at token n, in figures or characters, and the token after it."""
    if _text(tokens, n, 3) == "百分之":
        share = _numeral(tokens, n + 3)
        return _value(tokens, n, share.end, Kind.PERCENT, share) if share else None
    if tokens[n].text == "第":
        return _ordinal(tokens, n)
    number = _numeral(tokens, n)
    if number is None:
        return _half(tokens, n)
    return (
        _parted(tokens, n, number)
        or _date(tokens, n, number)
        or _clock(tokens, n, number)
        or _measure(tokens, n, number)
    )


def _half(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    """半年, 半小时, 半个月: half of a unit of time."""
    if tokens[n].text != "半" or tokens[n - 1].text in _COUNTED | _PARTS_OF_YEAR:
        return None
    found = _measure(tokens, n, Number(0.5, 0.0, n + 1, figures=False))
    return found if found and found[0].kind is Kind.QUANTITY and found[0].unit in _TIMES else None


def _parted(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """三分之一, 八折 and 85折: shares. Eight tenths of the price are left at 八折."""
    if _text(tokens, number.end, 2) == "分之" and number.amount:
        above = _numeral(tokens, number.end + 2)
        share = Number(100 * above.amount / number.amount, 0.0, above.end, figures=False) if above else None
        return _value(tokens, n, share.end, Kind.PERCENT, share) if share else None
    if tokens[number.end].text == "折" and 0 < number.amount < _HUNDRED:
        tenths = number.amount * (1 if number.amount > 10 else 10)
        return _value(tokens, n, number.end + 1, Kind.PERCENT, Number(tenths, 0.0, number.end, figures=False))
    return None


def _text(tokens: Tokens, n: int, length: int) -> str:
    return "".join(tokens[k].text for k in range(n, n + length) if tokens[k].kind == "han")


def _numeral(tokens: Tokens, n: int) -> Number | None:
    """Figures or characters, with 万 and 亿: 3.5万, 三百二十, 一亿两千万."""
    token = tokens[n]
    end = n + 1
    if token.kind == "number":
        read = amount_of(token.text)
        if read is None:
            return None
        amount, step = read
    else:
        found = _characters(tokens, n)
        if found is None:
            return None
        amount, end = found
        step = 0.0
    scale = 1.0
    while step and tokens[end].text in _SCALES and scale < 1e12:
        scale *= _SCALES[tokens[end].text]
        end += 1
    return Number(amount * scale, step * scale, end, figures=token.kind == "number")


def _characters(tokens: Tokens, n: int) -> tuple[float, int] | None:
    total = section = digit = last = 0.0
    end = n
    while end < n + _LONGEST_NUMERAL:
        char = tokens[end].text
        if char in _TWENTIES and end == n:
            section, last = section + _TWENTIES[char], 10
        elif char in _DIGITS:
            digit = digit * 10 + _DIGITS[char] if end > n and tokens[end - 1].text in _DIGITS else _DIGITS[char]
        elif char in _TENS:
            section, digit, last = section + (digit or 1) * _TENS[char], 0, _TENS[char]
        elif char in _SCALES and end > n:
            total = total + (section + digit) * _SCALES[char] if section + digit else total * _SCALES[char]
            section = digit = 0
            last = _SCALES[char]
        else:
            break
        end += 1
    if end == n:
        return None
    if last >= _HUNDRED and digit and tokens[end - 2].text in _TENS | _SCALES:
        digit *= last / 10  # 一万二 is 12,000, 一千五 is 1,500
    amount = total + section + digit
    fraction, past = _fraction(tokens, end)
    if past == end:
        return amount, end
    amount, end = amount + fraction, past
    while tokens[end].text in _SCALES and amount < _LARGEST:
        amount, end = amount * _SCALES[tokens[end].text], end + 1
    return amount, end


def _fraction(tokens: Tokens, n: int) -> tuple[float, int]:
    """点五 behind a numeral, and the token after it; none in 三点五分 and 三点二十."""
    end = n + 1
    while tokens[n].text in _POINTS and end < n + _LONGEST_NUMERAL and tokens[end].text in _DIGITS:
        end += 1
    if end == n + 1 or tokens[end].text in _OF_CLOCK or tokens[end].text == "十":
        return 0.0, n
    return float("0." + "".join(str(_DIGITS[tokens[k].text]) for k in range(n + 1, end))), end


def _value(tokens: Tokens, n: int, end: int, kind: Kind, number: Number, unit: str = "") -> tuple[Value, int]:
    start, last = tokens[n].start, tokens[end - 1].end
    return Value(kind=kind, start=start, end=last, amount=number.amount, step=number.step, unit=unit), end


def _ordinal(tokens: Tokens, n: int) -> tuple[Value, int] | None:
    number = _numeral(tokens, n + 1)
    if number is None:
        return None
    if _text(tokens, number.end, 2) == "季度" and 1 <= number.amount <= 4:
        dates = (Date(quarter=int(number.amount)),)
        return Value(kind=Kind.DATE, start=tokens[n].start, end=tokens[number.end + 1].end, dates=dates), number.end + 2
    return _value(tokens, n, number.end, Kind.ORDINAL, number)


def _date(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """2024年3月5日, 2024年3月, 3月5日, 3月, 2024年. 三年 is a duration."""
    end, parts = n, dict[str, int]()
    for name in "年月日":
        own = _numeral(tokens, end)
        if (
            own
            and own.amount % 1 == 0
            and (
                tokens[own.end].text == name
                or (name == "日" and parts.get("月") and tokens[own.end].text in ("号", "號"))
            )
        ):
            parts[name], end = int(own.amount), own.end + 1
    if not parts or parts.keys() == {"日"} or not 1 <= parts.get("月", 1) <= 12 or not 1 <= parts.get("日", 1) <= 31:
        return None
    if "年" in parts and not 1000 <= parts["年"] < 2200:
        return None
    dates = (Date(parts.get("年"), parts.get("月"), parts.get("日")),)
    return Value(kind=Kind.DATE, start=tokens[n].start, end=tokens[end - 1].end, dates=dates), end


def _clock(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    """下午5点, 10点30分."""
    if tokens[number.end].text not in ("点", "时", "點", "時") or number.amount > 24 or number.amount % 1:
        return None
    later = _text(tokens, n - 2, 2) in _AFTERNOON and number.amount < 12
    end, hours = number.end + 1, number.amount + 12 * later
    minutes = _numeral(tokens, end)
    if minutes and tokens[minutes.end].text == "分" and minutes.amount < 60:
        hours, end = hours + minutes.amount / 60, minutes.end + 1
    elif tokens[end].text == "半":
        hours, end = hours + 0.5, end + 1
    elif tokens[n].text == "一" and end == n + 2 and _text(tokens, n - 2, 2) not in _DAYTIMES:
        return None  # 一点 is mostly "a little"
    return Value(kind=Kind.TIME, start=tokens[n].start, end=tokens[end - 1].end, amount=hours, unit="h"), end


def _measure(tokens: Tokens, n: int, number: Number) -> tuple[Value, int] | None:
    if tokens[number.end].text == "%":
        return _value(tokens, n, number.end + 1, Kind.PERCENT, number)
    if _text(tokens, number.end, 2) in ("个半", "個半") and number.amount % 1 == 0:
        number = replace(number, amount=number.amount + 0.5, end=number.end + 2)
        if tokens[number.end].text == "月":
            return _value(tokens, n, number.end + 1, Kind.QUANTITY, number, "month")
    for length in range(_LONGEST_NAME, 0, -1):
        name = _text(tokens, number.end, length)
        if name in _MONEY and len(name) == length:
            return _value(tokens, n, number.end + length, Kind.MONEY, number, _MONEY[name])
        if name in _UNITS and len(name) == length:
            return _with_half(tokens, n, number, number.end + length, _UNITS[name])
    plain = number.figures or number.end > n + 1 or tokens[number.end].text in _COUNTED
    return _value(tokens, n, number.end, Kind.NUMBER, number) if plain else None


def _with_half(tokens: Tokens, n: int, number: Number, end: int, unit: str) -> tuple[Value, int]:
    """两年半 and 两个半小时 are two and a half; 一半 is no part of it."""
    if tokens[end].text == "半" and tokens[end + 1].text not in _HALF_OF and unit in _TIMES and number.amount % 1 == 0:
        return _value(tokens, n, end + 1, Kind.QUANTITY, replace(number, amount=number.amount + 0.5), unit)
    return _value(tokens, n, end, Kind.QUANTITY, number, unit)
