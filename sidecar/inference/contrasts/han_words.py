"""Chinese words that exclude each other where both are said of the same matter; simplified, after `folded`."""

from __future__ import annotations

import re

_GROUPS = {
    "may": "可以 可 能够 能 允许 准许 准予 许可 获准 接受 受理 | 不得 禁止 严禁 禁用 谢绝 拒绝 拒收 请勿 切勿 无法 不准 不许 忌食 忌用 禁食 禁饮",
    "must": "必须 须 务必 必填 必修 必选 必备 强制 应当 应 需要 需 | 不必 不用 无须 毋须 选填 选修 可选 任选 自愿",
    "price": "免费 免收 免交 免缴 免付 不要钱 | 收费 付费 收取 自费 有偿",
    "time": "之前 以前 前 | 之后 以后 后 | 期内 之内 以内",
    "bound": "以上 高于 超过 大于 多于 满 | 以下 低于 不足 小于 少于 不满 未满 不到",
    "most": "最多 至多 | 最少 至少", "highest": "最高 | 最低", "largest": "最大 | 最小", "longest": "最长 | 最短", "limit": "上限 | 下限",
    "first": "最早 首次 首位 首席 | 最晚 最迟 最后 末位",
    "part": "包含 包括 含 涵盖 计入 | 不含 除外 排除 不计",
    "rise": "增长 增加 上升 上涨 提高 提升 上调 升高 扩大 增多 上浮 增至 升至 涨至 | 下降 减少 下跌 降低 下调 下滑 缩减 缩小 回落 下浮 降至 减至 跌至",
    "share": "所有 全部 全体 全额 一律 | 部分 有些 一些 个别 某些 少数",
    "open": "开放 营业 开馆 开门 开诊 | 关闭 闭馆 停业 歇业 关门 休息 休馆 停诊 打烊",
    "switch": "开启 打开 启用 激活 | 关闭 停用 禁用 关掉",
    "success": "成功 通过 合格 达标 达成 获胜 | 失败 不合格 落选 淘汰 破裂 败北",
    "approve": "批准 同意 通过 赞成 采纳 核准 | 否决 拒绝 反对 驳回",
    "lasting": "临时 暂时 | 永久 长期 终身", "source": "进口 | 国产 出口", "line": "线上 网上 在线 | 线下 现场 柜台", "home": "国内 境内 | 国际 国外 境外 海外",
    "side": "室内 | 室外 户外", "job": "全职 | 兼职", "manual": "手动 人工 | 自动", "body": "口服 内服 | 外用 注射", "tax": "税前 | 税后",
    "fixed": "固定 | 浮动", "paper": "原件 正本 | 复印件 影本 副本", "way": "单程 | 往返", "age": "成人 成年人 | 儿童", "sex": "男性 男子 男生 | 女性 女子 女生",
    "often": "每天 每日 | 每周 每星期 | 每月 | 每季度 | 每年", "week": "工作日 平日 | 周末", "colour": "红色 | 绿色 | 蓝色 | 黄色 | 黑色 | 白色",
    "trade": "买家 买方 | 卖家 卖方", "lease": "出租方 出租人 房东 | 承租方 承租人 租客 房客", "contract": "甲方 | 乙方", "day": "上午 早上 | 下午 | 晚上",
    "half": "上半年 | 下半年", "result": "盈利 | 亏损", "sign": "阳性 | 阴性", "valid": "有效 生效 | 无效 失效", "safe": "安全 | 危险", "store": "冷藏 | 冷冻 | 常温",
    "join": "加入 | 退出", "shelf": "上架 | 下架", "load": "上传 | 下载", "install": "安装 | 卸载", "adding": "添加 新增 | 删除 移除", "travel": "到达 抵达 | 出发",
    "course": "开始 | 结束 终止", "delay": "提前 | 推迟 延期 延后", "user": "新用户 新客 | 老用户 老客", "hand": "左侧 左边 左手 | 右侧 右边 右手", "together": "单独 | 共同 一起",
    "meal": "早餐 | 午餐 | 晚餐", "known": "公开 | 保密", "cost": "便宜 | 贵",
    "weekday": "周一 星期一 | 周二 星期二 | 周三 星期三 | 周四 星期四 | 周五 星期五 | 周六 星期六 | 周日 周天 星期日 星期天",
}  # fmt: skip

TURNED = frozenset(
    "may must price part share open switch success approve lasting manual fixed valid safe known rise bound".split()
)
"""Groups whose two poles a negation exchanges: 不可以 is 不得, 不超过 is at most."""

SAID_OF_ALL = frozenset({"may", "must"})
"""Groups whose words are about what the clause says as a whole."""

NEGATIVE = frozenset((group, 1) for group in "may must part open switch success approve valid".split())
"""Poles that say, as a negation does, that something is not so."""

OF_KINDS = frozenset(
    "line home side job paper way age sex week weekday colour day half user hand meal store source body tax often".split()
)
"""Groups that tell one kind of thing from another; a text mostly speaks of both, in words of its own of each."""

OF_PARTS = frozenset({"share"})
"""Groups that are about parts themselves."""

DENIED = frozenset({"time", "bound"})
"""Groups of which nothing follows where one side is denied: 发货前可以 and 发货后不可以 are the same."""

POLES: dict[str, list[tuple[str, int]]] = {}
"""Of each word its places: (group, number of the pole)."""
for _group, _poles in _GROUPS.items():
    for _number, _words in enumerate(_poles.split("|")):
        for _word in _words.split():
            POLES.setdefault(_word, []).append((_group, _number))

PART_OF_WORD = {
    "可": "(?<![许认])可(?![能靠爱见观比惜])", "能": "(?<![功性节智技才职可机效产动热电官])能(?![源力量耗效见])", "应": "(?<![反相适供响效对答回])应(?![用付聘届对急邀答收变])",
    "须": "(?<![必无毋])须(?!知)", "需": "(?<![急必供刚])需(?![求])", "前": "(?<![目当提先向眼空跟面从])前(?![往台面提端期景后锋言沿途者排进])",
    "后": "(?<![最然今落背随善先售])后(?![台面端期续果勤排代悔备方天者])", "含": "(?<![包内])含(?![义量糊])", "满": "(?<![不未充圆期])满(?=[\\d一二三四五六七八九十百])",
    "贵": "贵(?![司方公宾重])", "部分": "(?<![成大])部分",
}  # fmt: skip
"""Words of which another one may be a part, with what may not stand beside them."""

NEGATION = re.compile(
    r"不(?![仅但管同断过少久错论止如全良适锈利明]|得不|超过|足|满|到|动产)|没有?|未(?![来必满])|无(?![论线数锡]|人机|理由|条件)|[请切]?勿|[禁严]禁|禁止|谢绝|拒绝|(?<![避难不未以])免(?:[收交缴付除]|(?![费疫得]))|豁免|暂停|停止|暂缓|取消|避免"
)
"""What says that something is not so."""

BETWEEN = re.compile(
    r"(?:是|能够?|可以?|会|予以?|需要?|须|必|得|应该?|用|再|曾|被|允许|支付|提供|享受|享有|进行|接受|任何|其他|另外?|要|宜|便|随意|继续)*"
)
"""What may stand between that and the word that it is about."""

SAYS_LITTLE = re.compile(
    r"任何|可以|必须|需要|应当|能够|会(?![员议计费社长馆谈])|要(?![求点素约闻])|需(?!求)|能(?![力源量耗])|可(?![靠爱能])|应(?![用付急])|得(?![到分知奖])|[须的了是在为将也都就即有其该由向对把被所且并及与和或者时请则还，。、]"
)
"""What says nothing of the matter."""

PARTLY = re.compile(r"仅|只(?!要)|限于|(?<![删解扣排清免消移])除(?![了法])|例外|并非|不一定|未必|不都|部分")
"""With one of these a clause is of a part alone,"""

EXCEPTS = re.compile(r"(?<![删解扣排清免消移])除(?![了法])|例外")
"""and a sentence not of all."""

_TRADITIONAL = (
    "費須許嚴絕請準強應當備選願後滿開關閉營業館門診啟啓動達標敗駁對贊認採臨暫時終買賣進線網國際內戶職單雙稅兒週紅綠藍黃側邊無熱凍貴傳載裝刪錄"
    "結遲舊個體額數漲調減縮擴長順陽陰僅沒會務別過獲復複並從級報處將給為與於這還險質須讓錢員計損虧產顆運"
)
_SIMPLIFIED = (
    "费须许严绝请准强应当备选愿后满开关闭营业馆门诊启启动达标败驳对赞认采临暂时终买卖进线网国际内户职单双税儿周红绿蓝黄侧边无热冻贵传载装删录"
    "结迟旧个体额数涨调减缩扩长顺阳阴仅没会务别过获复复并从级报处将给为与于这还险质须让钱员计损亏产颗运"
)
_FOLD = str.maketrans(_TRADITIONAL, _SIMPLIFIED)


def folded(text: str) -> str:
    """A text as the words here are written, character for character."""
    return text.translate(_FOLD)
