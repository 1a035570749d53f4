"""Numbers in figures and in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sidecar.inference.values.tokens import END, Token

SMALL = {
    word: n
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
    )
}
TENS = {word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "lakh": 1e5, "crore": 1e7}
SCALES |= {f"{word}s": value for word, value in SCALES.items() if value >= 1e3}
SHORT_SCALES = {"k": 1e3, "mn": 1e6, "mln": 1e6, "mio": 1e6, "bn": 1e9, "bln": 1e9, "tn": 1e12, "trn": 1e12}
ORDINALS = {
    word: n
    for n, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth "
        "eighteenth nineteenth twentieth".split(),
        1,
    )
} | {"thirtieth": 30, "hundredth": 100}
PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "tenth": 10, "tenths": 10}  # fmt: skip
SIGNS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 0.125}
_SUFFIXES = frozenset({"st", "nd", "rd", "th"})
_LARGEST = 1e30
_SPACES = dict.fromkeys((0xA0, 0x202F, 0x2009, ord("'")), " ")


@dataclass(frozen=True, slots=True)
class Number:
    """A number that ends before the token `end`. `step` is half of its last digit where it is in figures, else 0."""

    amount: float
    step: float
    end: int
    figures: bool
    ordinal: bool = False


_BEYOND = 64  # tokens that may be asked for behind the last


class Tokens(tuple[Token, ...]):
    """The tokens of a text, `size` of them, `lows` what they are in lower case; beyond the last (and before the first) there is an end. A tuple, since reading values looks at
    each token some fifty times."""

    text: str
    size: int
    lows: frozenset[str]
    _figures: dict[int, Number | None]

    def __new__(cls, text: str, tokens: Sequence[Token]) -> Tokens:
        self = super().__new__(cls, (*tokens, *[END] * _BEYOND))  # Those before the first are the last ones.
        self.text, self.size, self._figures = text, len(tokens), {}
        self.lows = frozenset(token.low for token in tokens)
        return self

    def joined(self, n: int) -> bool:
        """Whether token n stands right behind the one before it."""
        return 0 < n < self.size and self[n].start == self[n - 1].end

    def figures_at(self, n: int) -> Number | None:
        """The number in figures that begins at token n; read once, since dates and amounts both ask."""
        if n not in self._figures:
            self._figures[n] = _figures(self, n)
        return self._figures[n]


def number_at(tokens: Tokens, n: int) -> Number | None:
    """The number that begins at token n."""
    token = tokens[n]
    if token.kind == "number":
        return tokens.figures_at(n)
    if token.kind == "word":
        return _words(tokens, n)
    return None


def amount_of(figures: str) -> tuple[float, float] | None:
    """Amount and half of the last digit of "1,500", "1.5", "1.500,25", "1 500,25" or "4,5"; None where it is no number ("1,2,3")."""
    figures = figures.translate(_SPACES)
    if " " in figures:
        whole, _, last = figures.rpartition(" ")
        figures = f"{whole},{last.replace(',', '.')}".replace(" ", ",")
    whole, point, decimals = figures.rpartition(".")
    if figures.count(".") > 1 or (point and "," in decimals) or (not point and _decimal_comma(figures)):
        whole, point, decimals = figures.rpartition(",") if "," in figures else (figures, "", "")
        whole = whole.replace(".", ",")
    elif not point:
        whole, decimals = figures, ""
    groups = whole.split(",")
    if len(groups) > 1 and (not 1 <= len(groups[0]) <= 3 or any(len(group) != 3 for group in groups[1:])):
        return None
    digits = "".join(groups)
    if len(digits) > 30 or (decimals and not decimals.isdecimal()):
        return None
    return float(f"{digits}.{decimals or 0}"), 0.5 * 10.0 ** -min(len(decimals), 30)


def _decimal_comma(figures: str) -> bool:
    return figures.count(",") == 1 and len(figures) - figures.index(",") - 1 in (1, 2)


def _figures(tokens: Tokens, n: int) -> Number | None:
    read = amount_of(tokens[n].text)
    if read is None:
        return None
    amount, step = read
    end = n + 1
    after = tokens[end]
    if tokens.joined(end) and after.low in _SUFFIXES:
        return Number(amount, 0.0, end + 1, figures=True, ordinal=True)
    if after.text in SIGNS and amount < 1000:
        return Number(amount + SIGNS[after.text], 0.0, end + 1, figures=True)
    mixed = _fraction(tokens, end)
    if mixed and step == 0.5 and amount < 1000 and not tokens.joined(end):
        return Number(amount + mixed.amount, 0.0, mixed.end, figures=True)
    alone = _fraction(tokens, n)
    if alone:
        return alone
    scale, end = _scale(tokens, end)
    return Number(amount * scale, step * scale, end, figures=True) if amount * scale < _LARGEST else None


def _fraction(tokens: Tokens, n: int) -> Number | None:
    """Figures over figures, "3/4", where they are small and less than one."""
    one, stroke, other = tokens[n], tokens[n + 1], tokens[n + 2]
    if (one.kind, stroke.text, other.kind) != ("number", "/", "number"):
        return None
    if tokens[n + 3].text == "/" and tokens.joined(n + 3):
        return None
    if not (tokens.joined(n + 1) and tokens.joined(n + 2) and one.text.isdecimal() and other.text.isdecimal()):
        return None
    over, under = int(one.text[:4]), int(other.text[:4])
    return Number(over / under, 0.0, n + 3, figures=True) if 0 < over < under <= 16 else None


def _scale(tokens: Tokens, n: int) -> tuple[float, int]:
    """The scale word that begins at token n, and the token after it."""
    token = tokens[n]
    scale = SCALES.get(token.low)
    if scale and token.low != "hundred":
        return scale, n + 1
    power = _power(tokens, n)
    if power:
        return power
    short = SHORT_SCALES.get(token.low)
    if short and (token.low != "k" or tokens.joined(n)):
        return short, n + 1
    if tokens.joined(n) and token.text in ("M", "B"):
        return (1e6 if token.text == "M" else 1e9), n + 1
    return 1.0, n


def _power(tokens: Tokens, n: int) -> tuple[float, int] | None:
    """A power of ten, and where it ends: of "10^5" what is left of it behind the 10, of "6.4 x 10^9" all."""
    at = n + 1 if tokens[n].low in _TIMES and tokens[n + 1].text == "10" else n - 1
    exponent = tokens[at + 2]
    if at < 0 or tokens[at].text != "10" or tokens[at + 1].text != "^" or exponent.text not in _EXPONENTS:
        return None
    return 10.0 ** (int(exponent.text) - (at < n)), at + 3


_TIMES = frozenset("x × · *".split())
_EXPONENTS = frozenset(map(str, range(1, 16)))


def _words(tokens: Tokens, n: int) -> Number | None:
    """A cardinal, an ordinal, a dozen, a fraction, in words."""
    token = tokens[n]
    if token.text in SIGNS:
        return Number(SIGNS[token.text], 0.0, n + 1, figures=True)
    part = _part(tokens, n)
    if part:
        return part
    if token.low in ("a", "an"):
        after = tokens[n + 1].low
        if after in ("dozen", "hundred", "thousand", "million", "billion", "trillion"):
            return _cardinal(tokens, n)
        return None
    if token.low in TENS and tokens[n + 1].text == "-" and 0 < ORDINALS.get(tokens[n + 2].low, 0) < 10:
        return Number(TENS[token.low] + ORDINALS[tokens[n + 2].low], 0.0, n + 3, figures=False, ordinal=True)
    if token.low in ORDINALS:
        return Number(ORDINALS[token.low], 0.0, n + 1, figures=False, ordinal=True)
    if token.low in SMALL or token.low in TENS or token.low == "dozen":
        return _cardinal(tokens, n)
    return None


_HALVED = frozenset("of the price fare off".split())


def _part(tokens: Tokens, n: int) -> Number | None:
    """Half, a third, three quarters, half a dozen."""
    first, end = tokens[n].low, n + 1
    over = 1 if first in ("a", "one") else SMALL.get(first, 0)
    if first == "half" and tokens[end].low == "a" and tokens[end + 1].low == "dozen":
        return Number(6.0, 0.0, end + 2, figures=False)
    if first == "half" and tokens[end].low in ("a", "an"):
        scale, after = _scale(tokens, end + 1)
        return Number(0.5 * scale, 0.0, after if scale > 1 else end + 1, figures=False)
    if first == "half" and tokens[end + (tokens[end].text == "-")].low in _HALVED:
        return Number(0.5, 0.0, end, figures=False)
    if not over:
        return None
    if tokens[end].text == "-":
        end += 1
    under = PARTS.get(tokens[end].low)
    plural = tokens[end].low.endswith("s")
    if not under or plural != (over > 1) or (tokens[end].low == "quarter" and tokens[end + 1].low != "of"):
        return None
    return Number(over / under, 0.0, end + 1, figures=False) if over < under else None


def _cardinal(tokens: Tokens, n: int) -> Number:
    """Words that add up: "two hundred and fifty thousand", "twenty-four", "two and a half million", "two dozen"."""
    total = current = 0.0
    units_taken = False
    end = n
    while True:
        word = tokens[end].low
        at = end + 1 if word in ("-", "and") and end > n else end
        word = tokens[at].low
        if word in TENS and (not current % 100 or current == 0):
            current, units_taken = current + TENS[word], False
        elif (
            word in SMALL
            and not units_taken
            and _adds(current, SMALL[word], after_and=tokens[end].low == "and" and not total)
        ):
            current, units_taken = current + SMALL[word], True
        elif word in ("a", "an") and end == n:
            current = 1.0
        elif word == "a" and tokens[at + 1].low == "half" and at > end:
            current, at = current + 0.5, at + 1
        elif (word == "hundred" and at == end) or (word == "dozen" and current < 100):
            current = (current or 1.0) * (100 if word == "hundred" else 12)
            units_taken = word == "dozen"
        elif word in SCALES and SCALES[word] > 100 and at == end:
            total, current, units_taken = total + (current or 1.0) * SCALES[word], 0.0, False
        else:
            break
        end = at + 1
    return Number(min(total + current, _LARGEST), 0.0, end, figures=False)


def _adds(current: float, word: int, *, after_and: bool) -> bool:
    """Whether a small number goes on with what was read: "twenty four", "two hundred (and) five"; not "ten and five"."""
    if after_and and current < 100:
        return False
    return current % 100 == 0 or (current % 10 == 0 and 0 < word < 10)
