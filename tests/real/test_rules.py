"""promtool reads the rules, finds nothing to complain of, and every alert fires and is silent when it should."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from dashboards import promql
from dashboards.variants import VARIANT_A, VARIANT_B
from tests.parts import paths

pytestmark = pytest.mark.real
RULES = Path(__file__).parents[2] / "dashboards/rules"
TESTS = sorted((RULES / "tests").glob("*.yml"))


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(paths.find("promtool")), *(str(argument) for argument in arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def test_promtool_finds_nothing_to_complain_of() -> None:
    done = promtool("check", "rules", "--lint=all", "--lint-fatal", RULES / "rag-sidecar.yml")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_rules_give_the_numbers_and_alerts_that_they_should(path: Path, tmp_path: Path) -> None:
    done = promtool("test", "rules", with_needed_rules(path.read_text(encoding="utf-8"), tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr


def with_needed_rules(text: str, folder: Path) -> Path:
    """A test of promtool beside a file of the rules that it needs: the alerts that it names, what its expressions read, and all that these read in turn.
    promtool evaluates every rule at every step, most of them for nothing."""
    tests = yaml.safe_load(text)
    groups = yaml.safe_load((RULES / "rag-sidecar.yml").read_text(encoding="utf-8"))["groups"]
    rules = {id(rule): rule for group in groups for rule in group["rules"]}
    alerts = {one["alertname"] for test in tests["tests"] for one in test.get("alert_rule_test", ())}
    texts = [one["expr"] for test in tests["tests"] for one in test.get("promql_expr_test", ())]
    needed: set[int] = set()
    while True:
        named = {name for expr in texts for name in re.findall(r"[a-zA-Z_:][\w:]*", expr)}
        more = {
            key
            for key, rule in rules.items()
            if key not in needed and (rule.get("alert") in alerts or rule.get("record") in named)
        }
        if not more:
            break
        needed |= more
        texts = [rules[key]["expr"] for key in more]
    kept = [{**group, "rules": [rule for rule in group["rules"] if id(rule) in needed]} for group in groups]
    kept = [group for group in kept if group["rules"]]
    names = {group["name"] for group in kept}
    if "group_eval_order" in tests:
        tests["group_eval_order"] = [name for name in tests["group_eval_order"] if name in names]
    (folder / "rules.yml").write_text(yaml.safe_dump({"groups": kept}, sort_keys=False), encoding="utf-8")
    path = folder / "test.yml"
    path.write_text(yaml.safe_dump({**tests, "rule_files": ["rules.yml"]}, sort_keys=False), encoding="utf-8")
    return path


def test_the_needed_rules_are_those_that_an_alert_reads_and_no_others(tmp_path: Path) -> None:
    with_needed_rules("tests: [{alert_rule_test: [{alertname: RagHallucinationRateHigh}]}]", tmp_path)
    [*recording, alerts] = yaml.safe_load((tmp_path / "rules.yml").read_text(encoding="utf-8"))["groups"]
    assert [group["name"] for group in recording] == ["rag-sidecar.recording.judge", "rag-sidecar.recording.1h"]
    assert [rule["alert"] for rule in alerts["rules"]] == ["RagHallucinationRateHigh"]
    recorded = {rule["record"] for group in recording for rule in group["rules"]}
    assert "rag_service:rag_judged:weight_increase1h" in recorded, "what the bound is made of in the end"
    assert "rag_service:rag_hallucination:ratio_rate1h" not in recorded


@pytest.mark.parametrize(
    ("p_a", "n_a", "p_b", "n_b", "lower", "upper"),
    [
        # Newcombe 1998, table II, method 10: 56/70 - 48/80, 9/10 - 3/10, 10/10 - 0/20.
        (0.8, 70, 0.6, 80, 0.0524, 0.3339),
        (0.9, 10, 0.3, 10, 0.1705, 0.8090),
        (1.0, 10, 0.0, 20, 0.6791, 1.0),
    ],
)
def test_the_interval_of_a_difference_is_that_of_the_paper(
    tmp_path: Path, p_a: float, n_a: int, p_b: float, n_b: int, lower: float, upper: float
) -> None:
    operands = [f"vector({value})" for value in (p_a, n_a, p_b, n_b)]
    bounds = {promql.newcombe(*operands, upper=False): lower, promql.newcombe(*operands, upper=True): upper}
    done = expect(tmp_path, {}, {f"round({expression}, 0.0001)": value for expression, value in bounds.items()})
    assert done.returncode == 0, done.stdout + done.stderr


def test_two_variants_are_compared_by_their_own_verdicts(tmp_path: Path) -> None:
    """A: 40 % of 70 effective samples; B: 20 % of 80 that stand for twice as many each. Over 1 h, a sample a minute."""
    a, b = (chosen(where) for where in (VARIANT_A, VARIANT_B))
    series = {}
    for variant, share, samples, weight in (("a", 0.4, 70, 1), ("b", 0.2, 80, 2)):
        for verdict, part in (("hallucinated", share), ("grounded", 1 - share), ("abstained", 0.5)):
            labels = f'{{variant="{variant}",verdict="{verdict}",job="j",instance="i",rag_service="s",model="m"}}'
            each = part * samples / 60
            series[f"rag_verdict_weight_total{labels}"] = f"0+{each * weight:.12f}x120"
            series[f"rag_verdict_weight_squared_total{labels}"] = f"0+{each * weight * weight:.12f}x120"
    expected = {
        promql.difference("1h", a, b): 0.2,
        promql.difference_bound("1h", a, b, upper=False): 0.0535,
        promql.difference_bound("1h", a, b, upper=True): 0.3379,
        promql.difference_bound("1h", a, b.replace('"b"', '"none"'), upper=True): None,
    }
    done = expect(tmp_path, series, {f"round({expression}, 0.0001)": value for expression, value in expected.items()})
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_models_flagged_answers_are_corrected_by_its_own_measured_rates(tmp_path: Path) -> None:
    """40 % flagged of 60 effective samples; by hand: (0.4 + 0.9 - 1) / (0.8 + 0.9 - 1) = 0.4286, variance (0.4 * 0.6 / 60 + 0.4286^2 * 0.8 * 0.2 / 200
    + 0.5714^2 * 0.9 * 0.1 / 300) / 0.7^2. Model h flags 10 %; that of `coin` is no better than chance, nobody measured that of `new`."""
    series = {}
    for model, flagged in (("g", 0.4), ("h", 0.1), ("coin", 0.4), ("new", 0.4)):
        for verdict, share in (("hallucinated", flagged), ("grounded", 1 - flagged)):
            labels = f'{{rag_service="kb",grounding_model="{model}",verdict="{verdict}"}}'
            series[f"rag_verdict_weight_total{labels}"] = f"0+{10 * share:g}x120"
            series[f"rag_verdict_weight_squared_total{labels}"] = f"0+{100 * share:g}x120"
    for model, *rates in (("g", 0.8, 0.9), ("h", 0.9, 0.95), ("coin", 0.4, 0.6)):
        for rate, value in zip(("sensitivity", "specificity"), rates, strict=True):
            for pod in "ab":
                name = f'rag_sidecar_detector_rate{{grounding_model="{model}",rate="{rate}",pod="{pod}"}}'
                series[name] = f"{value}x120"
        for label, count in (("hallucinated", 200), ("grounded", 300)):
            series[f'rag_sidecar_detector_labelled{{grounding_model="{model}",label="{label}"}}'] = f"{count}x120"

    def of(model: str, bound: bool | None = None) -> str:
        where = f'grounding_model="{model}"'
        p = promql.hallucination_ratio("1h", by=promql.DETECTOR, where=where)
        n = promql.effective_samples("1h", by=promql.DETECTOR, where=where)
        return f"max({promql.corrected_ratio(p) if bound is None else promql.corrected_bound(p, n, upper=bound)})"

    values = {
        of("g"): 0.4286,
        of("g", False): 0.2461,
        of("g", True): 0.6110,
        of("h"): 0.0588,
        of("coin"): None,
        of("new"): None,
    }
    done = expect(tmp_path, series, {f"round({expression}, 0.0001)": value for expression, value in values.items()})
    assert done.returncode == 0, done.stdout + done.stderr


def chosen(where: str) -> str:
    """Matchers with a choice made in the dashboard's variables."""
    return re.sub(r"\$\w+", ".+", where.replace("$variant_a", "a").replace("$variant_b", "b"))


def expect(
    folder: Path, series: Mapping[str, str], values: Mapping[str, float | None]
) -> subprocess.CompletedProcess[str]:
    """Let promtool say whether each expression has its value after two hours, without labels, or no value at all."""
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": text} for name, text in series.items()],
        "promql_expr_test": [
            {
                "expr": expr,
                "eval_time": "2h",
                "exp_samples": [] if value is None else [{"labels": "{}", "value": value}],
            }
            for expr, value in values.items()
        ],
    }
    path = folder / "test.yml"
    path.write_text(yaml.safe_dump({"rule_files": [], "evaluation_interval": "1m", "tests": [test]}), encoding="utf-8")
    return promtool("test", "rules", path)


def test_a_wrong_expectation_would_be_found(tmp_path: Path) -> None:
    text = (RULES / "tests/quality.yml").read_text(encoding="utf-8")
    assert text != (wrong := text.replace("0.2857", "0.2858"))
    assert promtool("test", "rules", with_needed_rules(wrong, tmp_path)).returncode == 1
