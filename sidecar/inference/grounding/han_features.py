"""What a Chinese statement has in common with its evidence, as numbers: the input of the lexical grounding model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sidecar.inference.calibrated import FloatVector
from sidecar.inference.embedding.idf import Idf
from sidecar.inference.grounding.han import Piece, Read, held, lacking, missing_values, read, share

CLAIM_FEATURES = (
    "best_sentence", "unheld", "no_characters", "any_value_missing", "names_missing", "negation_new", "negation_lost", "opposites",
    "near_asked", "asked_held",
)  # fmt: skip
TURNED = len(CLAIM_FEATURES)  # the column behind them: whether something is denied on one side alone
_SHORT = 8
_SAYS = frozenset("是為为有在会會能可須须应應不没沒了")
_NEARLY_BEST = 0.9
_NEIGHBOURS = 1
_OPPOSITES = (
    "大小 高低 多少 增减 增減 上下 前后 前後 男女 好坏 好壞 快慢 长短 長短 新旧 新舊 东西 東西 南北 早晚 买卖 買賣 升降 胜负 勝負 赢输 贏輸 涨跌 漲跌 进出 進出 "
    "开关 開關 冷热 冷熱 轻重 輕重 强弱 強弱 远近 遠近 深浅 左右 内外 內外 首末 先后 先後 老少 难易 難易 穷富 窮富 胖瘦 爱恨 愛恨 来去 來去 始终 加减 加減 借还 借還 "
    "增降 涨降 漲降 增跌 升跌 升减 升減 单双 公私 真假 正反 正负 明暗 干湿 粗细 粗細 宽窄 寬窄 厚薄 生死 攻守 敌友 父母 兄弟 姐妹 夫妻 春秋 冬夏 黑白 红绿 日夜"
).split()


def _by_character() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _OPPOSITES:
        found.setdefault(pair[0], set()).add(pair[1])
        found.setdefault(pair[1], set()).add(pair[0])
    return {one: frozenset(others) for one, others in found.items()}


_OPPOSITE = _by_character()


class Question:
    """The question that an answer was to, against all sentences of the documents: an answer in a few words says little by itself, and
    is to stand near what was asked."""

    def __init__(self, text: str, sentences: Sequence[Piece], idf: Idf) -> None:
        asked = read(text)
        self._idf = idf
        self._held = [share(asked.pairs, frozenset(piece.read.pairs), idf) for piece in sentences]

    def near(self, claim: Read, sentences: Sequence[Piece]) -> tuple[float, float]:
        """Share (0..1) of the question that is held where the claim is, one sentence before and after counted, and the most that any
        sentence holds; zeros of a claim that is a statement by itself."""
        if not self._held or claim.length > _SHORT or claim.characters & _SAYS:
            return 0.0, 0.0
        here = [_holds(claim, piece.read, self._idf) for piece in sentences]
        most = max(here)
        around = [
            max(self._held[max(0, n - _NEIGHBOURS) : n + _NEIGHBOURS + 1])
            for n, one in enumerate(here)
            if most > 0 and one >= _NEARLY_BEST * most
        ]
        return max(around, default=0.0), max(self._held)


def _holds(claim: Read, sentence: Read, idf: Idf) -> float:
    if claim.pairs:
        return share(claim.pairs, frozenset(sentence.pairs), idf)
    return float(claim.names <= sentence.names and not missing_values(claim.values, sentence.values))


def features(claim: Read, evidence: Sequence[Piece], idf: Idf, near: tuple[float, float] = (0.0, 0.0)) -> FloatVector:
    """CLAIM_FEATURES and TURNED (11,) of a statement against sentences, the best first; `near` is what `Question.near` says. All finite."""
    best = evidence[0].read if evidence else read("")
    there = held(evidence)
    unheld = claim.characters - there.characters
    # What is denied on one side turns a bound round: no returns after 30 days, returns within 30 days.
    as_plain = bool(claim.negations) == bool(best.negations)
    return np.array(
        [
            share(claim.pairs, frozenset(best.pairs), idf),
            lacking(claim.characters, there.characters),
            float(not claim.characters),
            float(missing_values(claim.values, there.values, bounds=as_plain) > 0),
            lacking(claim.names, there.names),
            float(claim.negations > 0 and not best.negations),
            float(best.negations > 0 and not claim.negations),
            sum(bool(_OPPOSITE.get(one, frozenset()) & best.characters) for one in unheld),
            *near,
            float(_turned(claim, best) or _turned(best, claim)),
        ],
        np.float64,
    )


def _turned(one: Read, other: Read) -> bool:
    """Whether one denies a pair that the other has only undenied: 不支持 and 支持."""
    return any(pair in other.pairs and pair not in other.denied and _only_denied(pair, one) for pair in one.denied)


def _only_denied(pair: str, text: Read) -> bool:
    return text.pairs.count(pair) == text.denied.count(pair)
