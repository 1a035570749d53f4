"""Check digits: what tells a card number or a national id from any other number. Pure; digits of every script count."""

from __future__ import annotations

import datetime
from collections import Counter

_IBAN_LENGTHS = {
    code: int(length)
    for length, codes in {
        "15": "NO", "16": "BE", "18": "DK FI FO GL NL SD", "19": "MK SI", "20": "AT BA EE KZ LT LU MN XK",
        "21": "CH CR HR LI LV", "22": "BG BH DE GB GE IE ME RS VA", "23": "AE GI IL IQ OM SO TL", "24": "AD CZ ES MD PK RO SA SE SK TN VG",
        "25": "LY PT ST", "26": "IS TR", "27": "BI DJ FR GR IT MC MR SM", "28": "AL AZ BY CY DO GT HU LB NI PL SV", "29": "BR EG PS QA UA",
        "30": "JO KW MU", "31": "MT SC", "32": "LC", "33": "RU",
    }.items()
    for code in codes.split()
}  # fmt: skip
_CN_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CN_CHECKS = "10X98765432"
_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
# Of the Italian code: what a character weighs in the places 1, 3, 5, ...
_CF_ODD = dict(zip("0123456789", (1, 0, 5, 7, 9, 13, 15, 17, 19, 21), strict=True)) | dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        strict=True,
    )
)
# The dihedral group of ten elements and its permutation, as Verhoeff's check takes them.
_D5 = tuple(
    tuple((a + b) % 5 if a < 5 > b else (a + b - 5) % 5 + 5 if a < 5 else (a - b) % 5 + (5 if b < 5 else 0) for b in range(10))
    for a in range(10)
)  # fmt: skip
_VERHOEFF = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def digits(text: str) -> str:
    """The digits of a text alone, as ASCII."""
    return "".join(str(int(one)) for one in text if one.isdecimal())


def letters_and_digits(text: str) -> str:
    """Letters, as capitals, and digits alone."""
    return "".join(one for one in text.upper() if one.isalnum())


def luhn(number: str) -> bool:
    """ISO/IEC 7812-1, annex B."""
    total = 0
    for place, one in enumerate(reversed(number)):
        value = int(one) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def card(number: str) -> bool:
    """A payment card: a known first digit of the industry, the length that goes with it, Luhn; not one digit over and over."""
    if len(set(number)) < 2 or not 13 <= len(number) <= 19:
        return False
    two, four = int(number[:2]), int(number[:4])
    known = (
        (number[0] == "4" and len(number) in (13, 16, 19))
        or ((51 <= two <= 55 or 2221 <= four <= 2720) and len(number) == 16)
        or (two in (34, 37) and len(number) == 15)
        or (two in (30, 36, 38, 39) and 14 <= len(number) <= 19)
        or ((two in (35, 60, 62, 64, 65, 67, 81) or 56 <= two <= 58) and len(number) >= 16)
    )
    return known and luhn(number)


def iban_length(country: str) -> int | None:
    """Characters of an IBAN of that country, by the SWIFT registry."""
    return _IBAN_LENGTHS.get(country)


def iban(text: str) -> bool:
    """ISO 13616: letters as numbers, the first four characters last, mod 97 is 1."""
    if not text.isascii():
        return False
    return int("".join(str(int(one, 36)) for one in text[4:] + text[:4])) % 97 == 1


def isbn(number: str) -> bool:
    """ISBN-10 in ten digits: their sum, weighted from 10 down to 1, mod 11 is 0 (ISO 2108:1992)."""
    return sum(int(one) * weight for one, weight in zip(number, range(10, 0, -1), strict=True)) % 11 == 0


def bar_code(number: str) -> bool:
    """The check digit of a GTIN: digits weigh 3 and 1 in turn from the right, mod 10 is 0 (GS1)."""
    return sum(int(one) * (3 if place % 2 else 1) for place, one in enumerate(reversed(number))) % 10 == 0


def german_tax_id(number: str) -> bool:
    """ISO 7064 mod 11,10; of the first ten digits exactly one comes twice or thrice, no other more than once."""
    if len(number) != 11 or number[0] == "0":
        return False
    often = sorted(Counter(number[:10]).values(), reverse=True)
    if often[0] not in (2, 3) or often[1] != 1:
        return False
    product = 10
    for one in number[:10]:
        product = ((int(one) + product) % 10 or 10) * 2 % 11
    return (11 - product) % 10 == int(number[10])


def chinese_id(text: str) -> bool:
    """GB 11643: a day of birth within, ISO 7064 mod 11-2 at the end."""
    if len(text) != 18 or not text[:17].isdecimal() or text[0] == "0":
        return False
    try:
        born = datetime.date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    total = sum(int(one) * weight for one, weight in zip(text, _CN_WEIGHTS, strict=False))
    return born.year >= 1850 and _CN_CHECKS[total % 11] == text[17]


def spanish_id(text: str) -> bool:
    """DNI and NIE: the letter is the number mod 23."""
    number = text[:-1].translate(str.maketrans("XYZ", "012"))
    return number.isdecimal() and _DNI_LETTERS[int(number) % 23] == text[-1]


def french_id(number: str) -> bool:
    """NIR of 13 digits and the key: 97 less the number mod 97; a month within."""
    month = int(number[3:5])
    return (1 <= month <= 12 or 20 <= month <= 42) and 97 - int(number[:13]) % 97 == int(number[13:])


def italian_code(text: str) -> bool:
    """Codice fiscale: the last letter is a sum mod 26 over the others."""
    total = sum(_CF_ODD[one] if place % 2 == 0 else int(one, 36) % 10 if one.isdecimal() else ord(one) - 65
                for place, one in enumerate(text[:15]))  # fmt: skip
    return chr(65 + total % 26) == text[15]


def brazilian_id(number: str) -> bool:
    """CPF: two check digits mod 11."""
    for size in (9, 10):
        total = sum(int(one) * (size + 1 - place) for place, one in enumerate(number[:size]))
        if total * 10 % 11 % 10 != int(number[size]):
            return False
    return len(set(number)) > 1


def aadhaar(number: str) -> bool:
    """The Indian number: Verhoeff's check over twelve digits."""
    table = [list(range(10))]
    for _ in range(7):
        table.append([table[-1][_VERHOEFF[one]] for one in range(10)])
    check = 0
    for place, one in enumerate(reversed(number)):
        check = _D5[check][table[place % 8][int(one)]]
    return check == 0 and number[0] not in "01"
