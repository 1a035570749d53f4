"""Generated pages are up to date, and say of every setting, series and chart value what it is."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml
from pydantic import BaseModel, Field, SecretStr

from docs import chart, configuration, generate, metrics
from exporters import series
from sidecar.config import Config
from sidecar.observe import telemetry

ROOT = Path(__file__).parents[3]


def test_generated_pages_are_those_that_the_generator_writes_now() -> None:
    for path, text in generate.files().items():
        assert (ROOT / path).read_text(encoding="utf-8") == text, f"{path}: run `make docs`"


def test_the_check_finds_a_page_that_was_edited_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--output", str(tmp_path)]) == 0
    assert generate.main(["--output", str(tmp_path), "--check"]) == 0
    (tmp_path / "docs/metrics.md").write_text("# Series\n", encoding="utf-8")
    assert generate.main(["--output", str(tmp_path), "--check"]) == 1
    assert "docs/metrics.md is not up to date" in capsys.readouterr().out


@pytest.mark.parametrize("name", [*(row.name for row in series.SERIES), *(row.name for row in telemetry.SERIES)])
def test_every_series_is_on_the_page(name: str) -> None:
    assert f"| `{name}` |" in metrics.page()


def test_every_setting_has_a_description_and_an_environment_variable() -> None:
    page = configuration.page()
    places = [
        (path, field)
        for section, top in Config.model_fields.items()
        if (model := configuration.model_of(top.annotation)) is not None
        for path, field in configuration.walk(model, (section,))
    ]
    assert len(places) > 50
    for path, field in places:
        assert field.description, ".".join(path)
        assert f"`{'.'.join(path)}`" in page
        assert f"`{configuration.environment(path)}`" in page


def test_no_default_tells_where_the_package_lies() -> None:
    assert str(ROOT) not in configuration.page()
    assert str(ROOT) not in chart.schema()


class Word(StrEnum):
    ONE = "one"


class Item(BaseModel):
    rate: float = Field(description="Share.")


class Section(BaseModel):
    items: tuple[Item, ...] = Field(default=(), description="Items.")
    mode: Literal["a", "b"] = Field(default="a", description="Mode.")
    word: Word = Field(default=Word.ONE, description="Word.")
    secret: SecretStr | None = Field(default=None, description="Secret.")
    names: dict[str, int] = Field(default_factory=dict, description="Names.")
    must: str = Field(description="Must be given.")


def test_types_and_defaults_are_told_in_plain_words() -> None:
    told = {
        ".".join(path): (configuration.type_name(field.annotation), configuration.default(field))
        for path, field in configuration.walk(Section, ())
    }
    assert told == {
        "items": ("list of Item", "`[]`"),
        "mode": ("`a`, `b`", '`"a"`'),
        "word": ("`one`", '`"one"`'),
        "secret": ("secret", ""),
        "names": ("map to whole number", "`{}`"),
        "must": ("text", "required"),
    }
    assert configuration.items_of(Section.model_fields["items"].annotation) is Item


def values() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / chart.VALUES).read_text(encoding="utf-8"))
    return loaded


def leaves(of: dict[str, Any], path: str = "") -> list[str]:
    found = []
    for key, value in of.items():
        place = f"{path}{key}"
        found += leaves(value, place + ".") if isinstance(value, dict) and value else [place]
    return found


def test_every_value_of_the_chart_has_a_comment_or_its_parent_has() -> None:
    told = {path for path, _, _ in chart.documented((ROOT / chart.VALUES).read_text(encoding="utf-8"))}
    for path in leaves(values()):
        parents = {path.rsplit(".", n)[0] for n in range(3)} - {"image", "service", "podMonitor"}
        assert parents & told, path


def test_the_schema_knows_every_value_of_the_chart_and_no_secret() -> None:
    schema = yaml.safe_load(chart.schema())
    assert schema["properties"].keys() - {"global"} == values().keys()
    assert schema["additionalProperties"] is False
    assert schema["definitions"]["ReceiveConfig"]["additionalProperties"] is False
    assert "password" not in schema["definitions"]["SecurityConfig"]["properties"]
    assert "password_file" in schema["definitions"]["SecurityConfig"]["properties"]
    assert schema["definitions"]["RateRule"]["required"] == ["service", "rate"]


def test_every_setting_is_in_the_schema_of_the_chart() -> None:
    schema = yaml.safe_load(chart.schema())
    assert schema["properties"]["config"]["properties"].keys() == Config.model_fields.keys()


@pytest.mark.parametrize(
    "path",
    [*sorted((ROOT / "docs/runbooks").glob("*.md")), ROOT / "README.md", ROOT / chart.README],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_setting_that_a_page_names_exists(path: Path) -> None:
    page = configuration.page()
    for name in re.findall(r"`(?:config\.)?(\w+\.[\w.]+)`", path.read_text(encoding="utf-8")):
        if name.split(".")[0] in Config.model_fields and not name.endswith((".py", ".jsonl", ".json", ".yaml")):
            assert f"`{name}`" in page, name


@pytest.mark.parametrize("page", ["README.md", "docs/architecture.md"])
def test_every_place_that_a_page_names_is_there(page: str) -> None:
    named = re.findall(
        r"`((?:sidecar|exporters|tests|docs|dashboards|helm|benchmarks)/[\w./-]*)`", (ROOT / page).read_text("utf-8")
    )
    assert named
    for place in named:
        known = place.partition("NAME")[0].partition("ROLE")[0]
        assert (ROOT / known).exists(), f"{page} names {place}"
