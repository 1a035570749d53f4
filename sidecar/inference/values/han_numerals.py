"""Chinese numerals, in characters and beside figures: 三百二十, 一亿两千万, 3.5万, 5千."""

from __future__ import annotations

from sidecar.inference.values.han_words import AND_MORE, MONEY, OTHER_WORDS, UNITS
from sidecar.inference.values.numbers import Number, Tokens, amount_of

# Also as cheques have them, and two in each script.
DIGITS = {
    char: n
    for row in ("零一二三四五六七八九", "〇壹贰叁肆伍陆柒捌玖", "〇壹貳參肆伍陸柒捌玖")
    for n, char in enumerate(row)
}
DIGITS |= {"两": 2, "兩": 2}
_TENS = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
_TWENTIES = {"廿": 20, "卅": 30}
_SCALES = {"万": 1e4, "亿": 1e8, "萬": 1e4, "億": 1e8}
_NUMERALS = frozenset((*DIGITS, *_TENS, *_TWENTIES, *_SCALES))
_POINTS = frozenset("点點")
_OF_CLOCK = frozenset("分刻")
_SOME = frozenset("几幾双雙")
_LETTERS = {"k": 1e3, "w": 1e4}
_HUNDRED = 100
_LARGEST = 1e12
_LONGEST_NUMERAL = 16


def han(tokens: Tokens, n: int, length: int) -> str:
    """The Chinese characters among `length` tokens from n on."""
    return "".join(tokens[k].text for k in range(n, n + length) if tokens[k].kind == "han")


def numeral(tokens: Tokens, n: int) -> Number | None:
    """The number that begins at token n, in figures or characters."""
    if tokens[n].kind == "number":
        return _figures(tokens, n)
    found = _characters(tokens, n)
    return found and Number(found[0], 0.0, found[1], figures=False)


def scale_of(text: str) -> float:
    """What 千, 万 and 亿 in a value multiply by: 1e4 of 15万元; 1 where there is none."""
    found = 1.0
    for char in text:
        found *= _SCALES.get(char) or float(_TENS.get(char, 1.0))
    return found


def _figures(tokens: Tokens, n: int, *, rest: bool = False) -> Number | None:
    """3.5万, 30多万, 5千 (but 5千米), 1亿2千万; `rest` is what may stand behind 1亿."""
    read = amount_of(tokens[n].text)
    if read is None:
        return None
    amount, step = read
    scale, last, end = 1.0, 1.0, n + 1
    if letter_of_money(tokens, end):
        return Number(amount * _LETTERS[tokens[end].low], step * _LETTERS[tokens[end].low], end + 1, figures=True)
    if tokens[end].text in AND_MORE and tokens[end + 1].text in _SCALES:
        end += 1
    if tokens[end].text in _TENS and han(tokens, end, 2) not in UNITS:
        scale = last = float(_TENS[tokens[end].text])
        end += 1
    while tokens[end].text in _SCALES and scale < _LARGEST:
        last = _SCALES[tokens[end].text]
        scale, end = scale * last, end + 1
    if scale > 1 and not rest and tokens[end].kind == "number" and tokens.joined(end):
        less = _figures(tokens, end, rest=True)
        if less and less.end > end + 1 and less.amount < scale:
            return Number(amount * scale + less.amount, less.step, less.end, figures=True)
        if less and len(tokens[end].text) == 1:  # 3万5 is 35,000
            return Number(amount * scale + less.amount * last / 10, 0.0, end + 1, figures=True)
    return Number(amount * scale, step * scale, end, figures=True)


def letter_of_money(tokens: Tokens, n: int) -> bool:
    """Whether token n is the letter of 3K元 or 5w元: thousands and ten thousands."""
    return tokens.joined(n) and tokens[n].low in _LETTERS and tokens[n + 1].text in MONEY


def _characters(tokens: Tokens, n: int) -> tuple[float, int] | None:
    """The amount, and the token after it; None also in the middle of a numeral, of 几十 and of 两三百, which say about how many."""
    if tokens[n].text not in _NUMERALS or tokens[n - 1].text in _NUMERALS or tokens[n - 1].text in _SOME:
        return None
    total = section = digit = last = 0.0
    end = n
    while end < n + _LONGEST_NUMERAL:
        char = tokens[end].text
        if char in _TWENTIES and end == n:
            section, last = section + _TWENTIES[char], 10
        elif char in DIGITS:
            digit = digit * 10 + DIGITS[char] if end > n and tokens[end - 1].text in DIGITS else DIGITS[char]
        elif char in _TENS:
            section, digit, last = section + (digit or 1) * _TENS[char], 0, _TENS[char]
        elif char in _SCALES and end > n:
            total = total + (section + digit) * _SCALES[char] if section + digit else total * _SCALES[char]
            section = digit = 0
            last = _SCALES[char]
        elif char not in AND_MORE or end == n or tokens[end + 1].text not in _SCALES:
            break
        end += 1
    if end == n or _is_about(tokens, n, end) or _is_other_word(tokens, n, end):
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


def _is_other_word(tokens: Tokens, n: int, end: int) -> bool:
    """五一假期, 千万不要."""
    behind = tokens[end].text
    return bool(behind) and behind in OTHER_WORDS.get(han(tokens, n, end - n), "")


def _is_about(tokens: Tokens, n: int, end: int) -> bool:
    """Whether two neighbouring digits, and no more, say "two or three": 两三天, 三五个, 十五六岁, 两三百元. Years and numbers by digits have more."""
    digits = [k for k in range(n, end) if tokens[k].text in DIGITS]
    pairs = [k for k in digits if k + 1 in digits and k - 1 not in digits and k + 2 not in digits]
    return any(
        0 < DIGITS[tokens[k].text] < DIGITS[tokens[k + 1].text] <= DIGITS[tokens[k].text] + 2
        or tokens[k + 1].text in ("两", "兩")
        for k in pairs
    )


def _fraction(tokens: Tokens, n: int) -> tuple[float, int]:
    """点五 behind a numeral, and the token after it; none in 三点五分 and 三点二十."""
    end = n + 1
    while tokens[n].text in _POINTS and end < n + _LONGEST_NUMERAL and tokens[end].text in DIGITS:
        end += 1
    if end == n + 1 or tokens[end].text in _OF_CLOCK or tokens[end].text == "十":
        return 0.0, n
    return float("0." + "".join(str(DIGITS[tokens[k].text]) for k in range(n + 1, end))), end
