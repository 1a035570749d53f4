"""The words of Chinese values: units, currencies, what is counted, and what may not stand behind them."""

from __future__ import annotations

from sidecar.inference.values.value import Hedge

_UNIT_NAMES = {
    "mcg": "微克", "mg": "毫克", "g": "克 公克", "kg": "公斤 千克", "t": "吨 噸 公噸", "jin": "斤 市斤", "lb": "磅", "oz": "盎司",
    "ml": "毫升", "l": "升 公升", "m³": "立方米 立方公尺", "gal": "加仑 加侖",
    "mm": "毫米 公釐", "cm": "厘米 公分", "m": "米 公尺", "km": "公里 千米", "mi": "英里", "ft": "英尺", "inch": "英寸", "nmi": "海里 浬",
    "m²": "平方米 平方公尺 平米", "km²": "平方公里 平方千米", "ha": "公顷 公頃", "mu": "亩 畝",
    "ms": "毫秒", "s": "秒 秒钟 秒鐘", "min": "分钟 分鐘", "h": "小时 小時 个小时 個小時 个钟头 個鐘頭", "day": "天 日 自然日 个自然日 個自然日",
    "business_day": "工作日 个工作日 個工作日 工作天 个工作天 個工作天 营业日 个营业日 營業日 個營業日 交易日 个交易日 個交易日",
    "week": "周 週 星期 礼拜 禮拜 个星期 個星期 个礼拜 個禮拜", "month": "个月 個月", "quarter": "个季度 個季度", "year": "年 周年 週年",
    "W": "瓦", "kW": "千瓦", "MW": "兆瓦", "kWh": "千瓦时 千瓦時 度电 度電", "MWh": "兆瓦时", "V": "伏 伏特", "kV": "千伏", "A": "安培", "mA": "毫安", "mAh": "毫安时 毫安時",
    "Hz": "赫兹 赫茲", "MHz": "兆赫", "dB": "分贝 分貝", "Pa": "帕", "kPa": "千帕", "MPa": "兆帕", "kcal": "千卡 大卡", "kJ": "千焦",
    "°C": "摄氏度 攝氏度", "°F": "华氏度 華氏度", "degree": "度",
}  # fmt: skip
_MONEY_NAMES = {
    "CNY": "元 块 塊 圆 圓 元钱 元錢 块钱 塊錢 元人民币 人民币 人民幣", "USD": "美元 美金", "EUR": "欧元 歐元", "GBP": "英镑 英鎊", "JPY": "日元 日圆 日圓",
    "HKD": "港元 港币 港幣", "TWD": "新台币 新台幣 新臺幣 台币 台幣 臺幣", "KRW": "韩元 韓元 韩币", "AUD": "澳元", "CAD": "加元", "SGD": "新加坡元", "CHF": "瑞士法郎 瑞郎",
    "RUB": "卢布 盧布",
}  # fmt: skip
UNITS = {name: code for code, names in _UNIT_NAMES.items() for name in names.split()}
MONEY = {name: code for code, names in _MONEY_NAMES.items() for name in names.split()}
YUAN = frozenset("元块塊圆圓")
LONGEST_NAME = 4
# Behind these a unit is the beginning of another word: 升级, 秒杀, 克拉, 百度, 年级.
OTHERS_BEHIND = {
    "升": "级級降", "公升": "级級", "秒": "杀殺", "克": "拉服", "天": "然", "年": "级級代轻輕", "日": "本", "斤": "顶頂", "周": "岁歲", "週": "岁歲",
}  # fmt: skip
THINGS = frozenset("电電石表屏板地砖磚肉蛋巧布玻木硬主显顯芯拼香")
"""What 块 counts: 两块电池 are no money."""
COUNTED = frozenset(
    "个個名人次位家件种種本台项項场場条條只隻张張岁歲倍片粒袋盒瓶支滴杯份套辆輛层層楼樓间間章级級期轮輪批对對双雙颗顆包桶碗页頁"
)
AFTERNOON = frozenset("下午 晚上 傍晚 夜里 夜裡 夜间 夜間 今晚 明晚 当晚 當晚 晚间 晚間".split())
DAYTIMES = AFTERNOON | frozenset("上午 早上 凌晨 中午 半夜".split())
NOON = "中午"
NO_CLOCK_BEHIND = frozenset("击擊建要意原说說注事理优優改结結")
NO_TENTHS_BEHIND = frozenset("为為了功员員立果本交就分都熟长長人年品绩績因效群对對不")
"""Behind 三 and one of these 成 is no tenth: 两成年人, 一成不变."""
COUNTED_POINTS_BEFORE = frozenset("下列这這那有几幾")
REPUBLIC, BEFORE_REPUBLIC = ("民国", "民國"), 1911
OF_REPUBLIC = range(80, 151)
"""Years that are those of the Republic where a month stands behind them, or 度,"""
SCHOOL_YEAR = ("学年度", "學年度")
"""or one of these."""

BOUNDS_BEFORE = dict.fromkeys("约 約 大约 大約 接近 将近 將近 大概 差不多".split(), Hedge.ABOUT)
BOUNDS_BEFORE |= dict.fromkeys(
    "至少 最少 不少于 不低于 不小于 不少於 不低於 不小於 超过 超過 多于 高于 大于 多於 高於 大於".split(), Hedge.LEAST
)
BOUNDS_BEFORE |= dict.fromkeys(
    "至多 最多 不超过 不超過 不多于 不高于 不大于 不多於 不高於 不大於 低于 少于 小于 低於 少於 小於 不足 不到".split(),
    Hedge.MOST,
)
BOUNDS_BEHIND = dict.fromkeys("左右 上下".split(), Hedge.ABOUT) | dict.fromkeys("以上 起 多 余 餘".split(), Hedge.LEAST)
BOUNDS_BEHIND |= dict.fromkeys("以下 以内 以內 之内 之內 内 內".split(), Hedge.MOST)
LONGEST_BOUND = 3
NOT = frozenset("不未没沒勿无無")
NOT_ABOUT_BEHIND = frozenset("节節预預签簽续續违違合契条條公解")
"""Behind these 约 is no "about": 节约, 预约."""
NOT_WITHIN_BEFORE = frozenset("部置容存径徑衣科外地陆陸嵌建饰飾")
"""Before these 内 is no "within": 内部, 内置."""
NOT_MORE_BEFORE = frozenset("次数數种種个個于於名人功")
"""Before these, and behind a unit, 多 is no "more than": 5年多次往返."""
AND_MORE = frozenset("多余餘")
EVENLY = frozenset("仅僅只限共满滿各购購")
"""Behind these 一个 says how many; by itself it is an article."""
EACH = frozenset("天日次")
"""一日3次, 一次0.5克: a day, a time."""
OTHER_WORDS = {"五一": "假黄黃放", "十一": "假黄黃放", "千万": "不别別记要注", "千萬": "不別記要注"}
"""Numerals that are none before these: 五一假期, 千万不要."""
