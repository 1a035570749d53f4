"""Values in Chinese: 3.5万元, 百分之十二, 2024年3月5日, 14天, 下午5点, and what holds them back: 约, 至少, 以内."""

from __future__ import annotations

from dataclasses import replace

from sidecar.inference.values.numbers import Number, Tokens, amount_of
from sidecar.inference.values.value import Date, Hedge, Kind, Value

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
_UNIT_NAMES = {
    "mg": "毫克", "g": "克", "kg": "公斤 千克", "t": "吨 噸 公噸", "jin": "斤 市斤", "lb": "磅", "oz": "盎司", "mcg": "微克",
    "ml": "毫升", "l": "升 公升", "m³": "立方米 立方公尺", "gal": "加仑 加侖",
    "mm": "毫米 公釐", "cm": "厘米 公分", "m": "米 公尺", "km": "公里 千米", "mi": "英里", "ft": "英尺", "inch": "英寸", "nmi": "海里 浬",
    "m²": "平方米 平方公尺", "km²": "平方公里 平方千米", "ha": "公顷 公頃", "mu": "亩 畝",
    "ms": "毫秒", "s": "秒 秒钟 秒鐘", "min": "分钟 分鐘", "h": "小时 小時 个小时 個小時 个钟头 個鐘頭", "day": "天 日 自然日 个自然日 個自然日",
    "business_day": "工作日 个工作日 個工作日 工作天 个工作天 個工作天",
    "week": "周 週 星期 礼拜 禮拜 个星期 個星期 个礼拜 個禮拜", "month": "个月 個月", "quarter": "个季度 個季度", "year": "年 周年 週年",
    "W": "瓦", "kW": "千瓦", "MW": "兆瓦", "kWh": "千瓦时 千瓦時", "MWh": "兆瓦时", "V": "伏 伏特", "kV": "千伏", "A": "安培", "mA": "毫安", "mAh": "毫安时 毫安時",
    "Hz": "赫兹 赫茲", "MHz": "兆赫", "dB": "分贝 分貝", "Pa": "帕", "kPa": "千帕", "MPa": "兆帕", "kcal": "千卡 大卡", "kJ": "千焦",
    "°C": "摄氏度 攝氏度", "°F": "华氏度 華氏度", "degree": "度",
}  # fmt: skip
_MONEY_NAMES = {
    "CNY": "元 块 塊 圆 圓 元钱 块钱 元人民币 人民币 人民幣", "USD": "美元 美金", "EUR": "欧元 歐元", "GBP": "英镑 英鎊", "JPY": "日元 日圆 日圓", "HKD": "港元 港币 港幣",
    "TWD": "新台币 新台幣 台币 台幣", "KRW": "韩元 韓元 韩币", "AUD": "澳元", "CAD": "加元", "SGD": "新加坡元", "CHF": "瑞士法郎 瑞郎", "RUB": "卢布 盧布",
}  # fmt: skip
_UNITS = {name: code for code, names in _UNIT_NAMES.items() for name in names.split()}
_MONEY = {name: code for code, names in _MONEY_NAMES.items() for name in names.split()}
_PARTS_OF_YEAR = frozenset("上下前后後")
_HALF_OF = frozenset("价價数數票")
_TIMES = frozenset({"s", "min", "h", "day", "week", "month", "year"})
_COUNTED = frozenset("个個名人次位家件种種本台项項场場条條只隻张張岁歲倍")
_REPUBLIC, _BEFORE_REPUBLIC, _LAST_OF_REPUBLIC = ("民国", "民國"), 1911, 200
_BOUNDS_BEFORE = dict.fromkeys("约 大约 約 大約 近 接近 将近 大概 差不多".split(), Hedge.ABOUT)
_BOUNDS_BEFORE |= dict.fromkeys("至少 最少 不少于 不低于 不少於 不低於 超过 超過 多于 高于 大于".split(), Hedge.LEAST)
_BOUNDS_BEFORE |= dict.fromkeys(
    "至多 最多 不超过 不超過 不多于 不高于 低于 少于 小于 低於 少於 不足 不到".split(), Hedge.MOST
)
_BOUNDS_BEHIND = dict.fromkeys("左右 上下".split(), Hedge.ABOUT) | dict.fromkeys("以上 起 多".split(), Hedge.LEAST)
_BOUNDS_BEHIND |= dict.fromkeys("以下 以内 以內 之内 之內 内 內".split(), Hedge.MOST)
_LONGEST_BOUND = 3
_WITHIN = frozenset("内內")
_AND_MORE = frozenset("多余餘")
_OF_ELECTRICITY = frozenset("电電")
_LONGEST_NAME = 4
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


def bound_before(tokens: Tokens, n: int) -> Hedge:
    """What the words before token n hold a value back to: 约, 至少, 不超过."""
    words = (_text(tokens, n - k, k) for k in range(_LONGEST_BOUND, 0, -1))
    return next((_BOUNDS_BEFORE[said] for said in words if said in _BOUNDS_BEFORE), Hedge.NONE)


def bound_behind(tokens: Tokens, n: int) -> Hedge:
    """The same of the words from token n on: 左右, 以上, 以内."""
    if tokens[n].text in _COUNTED:
        n += 1
    if tokens[n].text in _WITHIN and tokens[n - 1].kind != "han":
        return Hedge.NONE  # 16GB内存
    words = (_text(tokens, n, k) for k in (2, 1))
    return next((_BOUNDS_BEHIND[said] for said in words if said in _BOUNDS_BEHIND), Hedge.NONE)


def scale_of(text: str) -> float:
    """What 万 and 亿 in a value multiply by: 1e4 of 15万元; 1 where there is none."""
    found = 1.0
    for char in text:
        found *= _SCALES.get(char, 1.0)
    return found


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
    if step and tokens[end].text in _TENS and _text(tokens, end, 2) not in _UNITS:
        scale = float(_TENS[tokens[end].text])  # 5千元, but 5千米
        end += 1
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
    if end == n or _a_few(tokens, n, end) or _a_few(tokens, n - 1, end):
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


def _a_few(tokens: Tokens, n: int, end: int) -> bool:
    """Whether two digits say "two or three": 两三天, 三五个; years and numbers by digits have others, or more."""
    one, other = (_DIGITS.get(tokens[k].text, 0) for k in (n, n + 1))
    return end == n + 2 and 0 < one < other <= one + 2


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
    if "年" in parts and parts["年"] < _LAST_OF_REPUBLIC and _text(tokens, n - 2, 2) in _REPUBLIC:
        parts["年"] += _BEFORE_REPUBLIC
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
    if tokens[number.end].text in _AND_MORE and tokens[number.end + 1].text not in _COUNTED:
        more = _measure(tokens, n, replace(number, end=number.end + 1))  # 300多元
        return more and (replace(more[0], hedge=Hedge.LEAST), more[1])
    if tokens[number.end].text == "%":
        return _value(tokens, n, number.end + 1, Kind.PERCENT, number)
    if _text(tokens, number.end, 2) in ("个半", "個半") and number.amount % 1 == 0:
        number = replace(number, amount=number.amount + 0.5, end=number.end + 2)
        if tokens[number.end].text == "月":
            return _value(tokens, n, number.end + 1, Kind.QUANTITY, number, "month")
    for length in range(_LONGEST_NAME, 0, -1):
        name = _text(tokens, number.end, length)
        if len(name) != length or not _is_unit(tokens, number, name):
            continue
        if name == "度" and tokens[number.end + 1].text in _OF_ELECTRICITY:
            return _value(tokens, n, number.end + 2, Kind.QUANTITY, number, "kWh")
        if name in _MONEY:
            return _value(tokens, n, number.end + length, Kind.MONEY, number, _MONEY[name])
        if name in _UNITS:
            return _with_half(tokens, n, number, number.end + length, _UNITS[name])
    plain = number.figures or number.end > n + 1 or tokens[number.end].text in _COUNTED
    return _value(tokens, n, number.end, Kind.NUMBER, number) if plain else None


def _is_unit(tokens: Tokens, number: Number, name: str) -> bool:
    """Whether a word is one here: 两块电池 are no money, and 一度 is mostly "once"."""
    if name in ("块", "塊"):
        return tokens[number.end + 1].kind != "han"
    if name == "周":
        return tokens[number.end + 1].text not in ("岁", "歲")
    return name != "度" or number.figures or number.amount > 1


def _with_half(tokens: Tokens, n: int, number: Number, end: int, unit: str) -> tuple[Value, int]:
    """两年半 and 两个半小时 are two and a half; 一半 is no part of it."""
    if tokens[end].text == "半" and tokens[end + 1].text not in _HALF_OF and unit in _TIMES and number.amount % 1 == 0:
        return _value(tokens, n, end + 1, Kind.QUANTITY, replace(number, amount=number.amount + 0.5), unit)
    return _value(tokens, n, end, Kind.QUANTITY, number, unit)
