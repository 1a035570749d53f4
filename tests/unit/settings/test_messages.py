"""Mistakes below unions, optional sections, lists and maps are named with the path that one writes and with what was meant."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, SecretStr, ValidationError

from sidecar.config import build
from sidecar.record.errors import ConfigError
from sidecar.settings.messages import Given, explain, first_of
from sidecar.settings.shapes import variables


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid")

    limit: int = 1


class First(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["first"]
    width: int = 1


class Second(BaseModel):
    model_config = ConfigDict(extra="forbid")

    kind: Literal["second"]
    height: int = Field(default=1, ge=1)


class Whole(BaseModel):
    model_config = ConfigDict(extra="forbid")

    optional: Part | None = None
    listed: tuple[Part, ...] = ()
    mapped: Mapping[str, Part] = {}
    either: Part | str = ""
    words: tuple[str, ...] | str = ()
    tagged: Annotated[First | Second, Field(discriminator="kind")] | None = None
    deep: Mapping[str, list[First | Second]] = {}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"optional": {"limt": 1}}, "optional.limt: no such setting (did you mean limit?)"),
        ({"optional": 1}, "optional: must be a map: `name: value` lines below it"),
        ({"listed": [{}, {"limt": 1}]}, "listed.1.limt: no such setting (did you mean limit?)"),
        ({"listed": {"limit": 1}}, "listed: must be a list (write [{}, ...])"),
        ({"mapped": {"a": {"limt": 1}}}, "mapped.a.limt: no such setting (did you mean limit?)"),
        ({"either": {"limt": 1}}, "either.limt: no such setting (did you mean limit?)"),
        ({"words": 3}, 'words: must be a list (write ["a", "b"] or a,b) or must be a text (put it in quotes)'),
        ({"tagged": {"kind": "second", "heigth": 1}}, "tagged.heigth: no such setting (did you mean height?)"),
        ({"tagged": {"kind": "second", "height": 0}}, "tagged.height: must be at least 1, got 0"),
        ({"tagged": {"kind": "third"}}, "tagged: 'kind' must be one of 'first', 'second'"),
        ({"tagged": {}}, "tagged: must say its 'kind'"),
        ({"wholy": 1}, "wholy: no such setting (known are optional, listed, mapped, either, words, tagged, deep)"),
    ],
)
def test_a_mistake_is_named(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Whole.model_validate(values)
    assert str(explain(caught.value, Whole, prefix="P_", given=Given(values, {}, {}))) == message


def test_every_section_below_has_its_variables() -> None:
    found = variables(Whole, "P_")
    assert {"P_OPTIONAL", "P_OPTIONAL__LIMIT", "P_TAGGED__HEIGHT", "P_TAGGED__WIDTH", "P_EITHER__LIMIT"} <= set(found)
    assert "P_LISTED__LIMIT" not in found


class Shown(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: float = Field(default=1.0, le=5, allow_inf_nan=False)
    whole: int = Field(default=1, le=5)
    on: bool = True
    kind: Literal["first", "second"] = "first"
    day: date = date(2026, 1, 1)
    either: int | Literal["auto"] = 1
    password: SecretStr | None = None
    url: str = Field(default="", max_length=3)
    api_key: Literal["none"] | None = None
    headers: Mapping[str, int] = {}
    max_tokens: int = 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"number": 5.5}, "number: must be at most 5, got 5.5"),
        ({"number": "6"}, "number: must be at most 5, got '6'"),
        ({"number": "30s"}, "number: must be a number, got '30s'"),
        ({"number": None}, "number: must be a number, got nothing"),
        ({"number": ""}, "number: must be a number, got nothing"),
        ({"number": [1]}, "number: must be a number, got a list"),
        ({"number": {"a": 1}}, "number: must be a number, got a map"),
        ({"number": float("nan")}, "number: must be a finite number, got nan"),
        ({"number": "a\x1b[31m\n"}, "number: must be a number, got 'a\\x1b[31m\\n'"),
        ({"whole": 1.5}, "whole: must be a whole number, got 1.5"),
        ({"whole": 10**5000}, "whole: must be at most 5"),
        ({"whole": "9" * 5000}, "whole: must be a whole number, and not so large"),
        ({"whole": "x" * 41}, "whole: must be a whole number"),
        ({"whole": "http://user:hidden@host"}, "whole: must be a whole number"),
        ({"on": "perhaps"}, "on: must be true or false, got 'perhaps'"),
        ({"kind": "fist"}, "kind: must be one of 'first' or 'second', got 'fist' (did you mean first?)"),
        ({"kind": True}, "kind: must be one of 'first' or 'second', got true"),
        ({"day": "2026-13-01"}, "day: must be a date, as 2026-01-31, got '2026-13-01'"),
        ({"either": "aut"}, "either: must be a whole number or must be one of 'auto', got 'aut' (did you mean auto?)"),
        ({"password": 12345}, "password: must be a text (put it in quotes)"),
        ({"url": "hidden"}, "url: must have at most 3 characters"),
        ({"api_key": "hidden"}, "api_key: must be one of 'none'"),
        ({"headers": {"X": "hidden"}}, "headers.X: must be a whole number"),
        ({"max_tokens": "many"}, "max_tokens: must be a whole number, got 'many'"),
    ],
)
def test_what_stands_there_is_said_unless_it_may_be_a_secret(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Shown.model_validate(values)
    assert str(explain(caught.value, Shown, prefix="P_", given=Given(values, {}, {}))) == message


def test_what_stands_in_a_setting_of_a_model_is_said() -> None:
    with pytest.raises(ConfigError) as raised:
        build({"inference": {"models": {"grounding": {"mine": {"onnx": "/m", "threshold": 2}}}}}, kafka=False)
    assert str(raised.value) == "inference.models.grounding.mine.threshold: must be at most 1, got 2"


class Kinds(BaseModel):
    number: int = 1
    day: date = date(2026, 1, 1)
    time: AwareDatetime | None = None
    topic: str = Field(default="a", pattern="^[a-zA-Z0-9._-]{1,249}$")
    word: str = Field(default="a", pattern="^[a-z]+$")
    texts: Mapping[str, str] = {}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"number": "9" * 5000}, "number: must be a whole number, and not so large"),
        ({"day": "2026-13-01"}, "day: must be a date, as 2026-01-31"),
        ({"day": "yesterday"}, "day: must be a date, as 2026-01-31"),
        ({"time": "2026-01-31T12:00:00"}, "time: must be a time with its zone, as 2026-01-31T12:00:00Z"),
        ({"time": "noon"}, "time: must be a time with its zone, as 2026-01-31T12:00:00Z"),
        ({"topic": "a/b"}, "topic: must be the name of a topic: at most 249 letters, digits, dots, _ and -"),
        ({"word": "A"}, "word: must be written as the regular expression ^[a-z]+$ says"),
        ({"texts": []}, "texts: must be a map: `name: value` lines below it"),
        ([], "a label: must be a map: `name: value` lines below it"),
    ],
)
def test_what_is_wrong_is_said_in_our_words(values: Any, said: str) -> None:
    with pytest.raises(ValidationError) as raised:
        Kinds.model_validate(values)
    assert first_of(raised.value, top="a label") == said


def test_a_login_among_brokers_is_not_repeated() -> None:
    with pytest.raises(ConfigError) as raised:
        build({"receive": {"bootstrap_servers": "user:secret@kafka", "topics": ["t"]}})
    assert "'kafka' is not host:port" in str(raised.value)
    assert "secret" not in str(raised.value)
