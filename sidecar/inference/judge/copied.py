"""Whether a reply was written by those who are judged: it stands word by word in the data that the judge was shown.

Data and reply are compared as what they say, not as they are written: line breaks, escapes, unseen characters and the order of the members make no
difference.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping

from sidecar.inference.compatible import resolved

# A text may be JSON within JSON: as many backslashes as there are stand for one.
_ESCAPE = re.compile(r"\\+(?:u([0-9a-fA-F]{4})|([\s\S]))")
_BLANKS = frozenset("nrtbf")


def copied(reply: Mapping[str, object], data: Mapping[str, object]) -> bool:
    """Whether one text of the data has every member of the reply, reason and all."""
    wanted = [bare(one) for one in _members(reply)]
    return any(all(one in told for one in wanted) for told in map(bare, _texts(data)))


def bare(text: str) -> str:
    """What is left of a text without escapes, blanks, unseen characters, capitals and compatibility forms."""
    plain = _ESCAPE.sub(_unescaped, text) if "\\" in text else text
    if not plain.isascii():
        # Two escapes may be the halves of one character.
        whole = plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        plain = resolved(whole)
        plain = "".join(one for one in plain if unicodedata.category(one) != "Cf")
    return "".join(plain.split()).casefold()


def _unescaped(found: re.Match[str]) -> str:
    code, letter = found.groups()
    if code is not None:
        return chr(int(code, 16))
    return " " if letter in _BLANKS else str(letter)


def _members(reply: Mapping[str, object]) -> list[str]:
    """Each as JSON. One alone is the whole object: many a text has a member of that name."""
    if len(reply) == 1:
        return [json.dumps(reply, ensure_ascii=False)]
    return [json.dumps({name: value}, ensure_ascii=False)[1:-1] for name, value in reply.items()]


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _texts(one)
