"""The languages that settings may name: those that a request can be told to be in. Which it is in, evaluate/text/language.py finds out."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

# A text in a language that is not here is taken for one that is (Slovak for Czech, Bulgarian for Russian, Persian for Arabic).
TOLD = frozenset(
    """
    ar bn cs da de el en es fi fr he hi hu hy id it ja ka ko nl no pl pt ro ru sv ta te th tr uk vi zh
    """.split()
)
# A text whose language cannot be told.
UNKNOWN = "und"


def _told(code: str) -> str:
    if code not in TOLD:
        told = ", ".join(sorted(TOLD))
        raise ValueError(f"no request is told to be in {code}, so none would come: name those of {told}")
    return code


Language = Annotated[str, Field(pattern="^[a-z]{2}$"), AfterValidator(_told)]
