"""The anchored estimate in PromQL: the formulas of sidecar/evaluate/estimate.py over recorded sums, which add up over replicas.

Every name is of a recorded series of a service. Where the errors of the judge were measured (`judge.detector`) the true share is corrected for
them, else its interval allows for the error that objectives.py states. Where no judge looks at the service, people's labels of it anchor (labels.py).
"""

from __future__ import annotations

from dashboards import labels, promql
from dashboards.alert import SIDECAR
from dashboards.objectives import JUDGE_ERROR, LEAST_ANCHORS

LEVEL = "rag_service"
PAIRS = "rag_judged_verdict_weight_total"
PAIRS_SQUARED = "rag_judged_verdict_weight_squared_total"
# An answer whose local verdict is undecided is in no verdict, so that it may be in no pair.
DECIDED = 'local=~"grounded|hallucinated|none",judge=~"grounded|hallucinated"'
_LOCAL = 'local="hallucinated",judge=~"grounded|hallucinated"'
_JUDGE = 'local=~"grounded|hallucinated|none",judge="hallucinated"'
_BOTH = 'local="hallucinated",judge="hallucinated"'
# A verdict that is the judge's, for want of a local one.
_JUDGES_OWN = 'local="none",judge="hallucinated"'
_RATE, _LABELLED = "rag_sidecar_judge_detector_rate", "rag_sidecar_judge_detector_labelled"


def ratio(window: str) -> str:
    """Name of the anchored hallucination ratio."""
    return f"{LEVEL}:rag_hallucination:anchored_ratio_rate{window}"


def bound(window: str, *, upper: bool) -> str:
    """Name of a 95 % bound of it, the judge's errors included."""
    return f"{LEVEL}:rag_hallucination:anchored_{_bound(upper=upper)}_rate{window}"


def samples(window: str) -> str:
    """Name of the size of the plain random sample that would know as much."""
    return f"{LEVEL}:rag_hallucination:anchored_samples_increase{window}"


def judged_samples(window: str) -> str:
    """Name of the effective size of the judged sample by itself."""
    return f"{LEVEL}:rag_judged:effective_samples_increase{window}"


def enough(window: str, *, where: str = "") -> str:
    """Whether the ratio rests on enough to page anyone: on judged answers, or, of a service that no judge looks at, on labelled rates and the answers that
    they are applied to. Where a judge saw some the ratio is its, and labels do not vouch for its few. `where` is a
    selector of services."""
    judged, labelled = judged_samples(window) + where, labels.samples(window) + where
    return f"({judged} >= {LEAST_ANCHORS}\nor ({labelled} >= {LEAST_ANCHORS}\nunless {judged}))"


def judged_ratio(window: str) -> str:
    """Name of the share that the judge calls hallucinated, of those that it saw."""
    return f"{LEVEL}:rag_judged:ratio_rate{window}"


def rules(window: str) -> dict[str, str]:
    """The recording rules of a window, in the order of their needs: name and expression."""
    made = {**_scored(window), **_judged(window)}
    made[judged_ratio(window)] = f"{_sum('judge', window)} / ({_sum('weight', window)} > 0)"
    made[judged_samples(window)] = f"{_sum('weight', window)} ^ 2 / ({_sum('squared', window)} > 0)"
    made |= _spreads(window)
    made[_name("explained", window)] = _explained(window)
    made[samples(window)] = _samples(window)
    made[_name("predicted", window)] = _predicted(window)
    made |= labels.rules(window, whole=_all("weight", window))
    made[ratio(window)] = f"{_corrected(window)}\nor\n{_name('predicted', window)}\nor\n{labels.share(window)}"
    for upper in (False, True):
        made[_name(_bound(upper=upper), window)] = _judges_bound(window, upper=upper)
        judges = f"{_measured(window, upper=upper)}\nor\n{_stated(window, upper=upper)}"
        made[bound(window, upper=upper)] = f"{judges}\nor\n{labels.bound(window, upper=upper)}"
    return made


def errors(word: str) -> str:
    """Name of what is known of the errors of a service's judge: `sensitivity`, `specificity`, on how many labels, their variances, Youden's index."""
    return f"{LEVEL}:rag_judge_errors:{word}"


def judge_rules() -> dict[str, str]:
    """The rules about the judge's errors, and about those of the local verdict by labels: nothing where they were not measured, or where it is no
    better than chance. A judge is that of one sidecar, and of the services that it judges there; over replicas, which differ while settings are rolled out, it is their
    mean."""
    made = {}
    for rate, label in (("sensitivity", "hallucinated"), ("specificity", "grounded")):
        name, labelled = errors(rate), errors(f"{rate}_labelled")
        made[name] = _of_services(f'{_RATE}{{rate="{rate}"}}')
        made[labelled] = _of_services(f'{_LABELLED}{{label="{label}"}}')
        # A rate of 1 seen in a few labels is not certain: Laplace's rule.
        smooth = f"(({name} * {labelled} + 1) / ({labelled} + 2))"
        made[errors(f"{rate}_variance")] = f"{smooth} * (1 - {smooth}) / {labelled}"
    made[errors("youden")] = f"{errors('sensitivity')} + {errors('specificity')} - 1 > 0"
    return made | labels.once()


def _of_services(gauge: str) -> str:
    """What a sidecar says of its judge, for each service that it judges."""
    judged = f"count by ({LEVEL}, {SIDECAR}) ({PAIRS}) ^ 0"
    return f"avg by ({LEVEL}) (\n  {judged}\n  * on ({SIDECAR}) group_left () avg by ({SIDECAR}) ({gauge})\n)"


def _name(word: str, window: str) -> str:
    return f"{LEVEL}:rag_judged:{word}_rate{window}"


def _sum(word: str, window: str) -> str:
    return f"{LEVEL}:rag_judged:{word}_increase{window}"


def _all(word: str, window: str) -> str:
    return f"{LEVEL}:rag_scored:{word}_increase{window}"


def _scored(window: str) -> dict[str, str]:
    """Over all answers with a verdict. What the judge alone called hallucinated is no verdict of the local model."""
    weight = promql.total("increase", promql.WEIGHT, window, by=LEVEL, extra=promql.JUDGED)
    local = promql.total("increase", promql.WEIGHT, window, by=LEVEL, extra=promql.HALLUCINATED)
    own = promql.total("increase", PAIRS, window, by=LEVEL, extra=_JUDGES_OWN)
    whole = _all("weight", window)
    return {
        whole: weight,
        _all("local", window): f"clamp_min(({local} or 0 * {whole}) - ({own} or 0 * {whole}), 0)",
        _all("squared", window): promql.total("increase", promql.WEIGHT_SQUARED, window, by=LEVEL, extra=promql.JUDGED),
    }


def _judged(window: str) -> dict[str, str]:
    def of(series: str, extra: str) -> str:
        return promql.total("increase", series, window, by=LEVEL, extra=extra)

    found = {
        "weight": of(PAIRS, DECIDED),
        "judge": of(PAIRS, _JUDGE),
        "local": of(PAIRS, _LOCAL),
        "squared": of(PAIRS_SQUARED, DECIDED),
        "squared_judge": of(PAIRS_SQUARED, _JUDGE),
        "squared_local": of(PAIRS_SQUARED, _LOCAL),
        "squared_both": of(PAIRS_SQUARED, _BOTH),
    }
    whole = {"weight", "squared"}
    return {
        _sum(word, window): expr if word in whole else f"{expr}\nor 0 * {_sum('weight', window)}"
        for word, expr in found.items()
    }


def _spreads(window: str) -> dict[str, str]:
    """Sums of v^2 (local - mean)^2, v^2 (judge - mean)^2 and v^2 (local - mean)(judge - mean), multiplied out."""
    squared, judge = _sum("squared", window), judged_ratio(window)
    local = f"({_sum('local', window)} / {_sum('weight', window)})"
    both, of_judge, of_local = (_sum(f"squared_{word}", window) for word in ("both", "judge", "local"))
    return {
        _sum("spread_local", window): f"{of_local} * (1 - 2 * {local}) + {local} ^ 2 * {squared}",
        _sum("spread_judge", window): f"{of_judge} * (1 - 2 * {judge}) + {judge} ^ 2 * {squared}",
        _sum("spread_both", window): f"{both} - {local} * {of_judge} - {judge} * {of_local}\n"
        f"+ {judge} * {local} * {squared}",
    }


def _told(word: str, window: str) -> str:
    """The spread of a verdict; nothing where all are alike, up to rounding."""
    return f"({_sum(f'spread_{word}', window)} > 1e-9 * {_sum('squared', window)})"


def _or_zero(expression: str, window: str) -> str:
    """0 where nothing tells, nothing where the judge saw nothing."""
    return f"(\n  {expression}\n  or 0 * ({_sum('weight', window)} > 0)\n)"


def _explained(window: str) -> str:
    """The share of the judge's variance that local verdicts explain, adjusted for having been fitted."""
    told = f"({_told('local', window)} * {_told('judge', window)})"
    rho = _or_zero(f"{_sum('spread_both', window)} ^ 2 / {told}", window)
    alone = judged_samples(window)
    # As in sidecar/evaluate/estimate.py: no less than 1 / judged is left unexplained, and of two judged nothing is explained.
    left = f"((1 - {rho} > 1 / {alone}) or 1 / {alone})"
    return _or_zero(f"clamp(\n  1 - {left} * ({alone} - 1) / ({alone} - 2 > 1e-9),\n  0, 1\n)", window)


def _samples(window: str) -> str:
    alone = judged_samples(window)
    scored = f"({_all('weight', window)} ^ 2 / ({_all('squared', window)} > 0))"
    return f"{alone}\n/ (1 - (1 - clamp_max({alone} / {scored}, 1)) * {_name('explained', window)})"


def _predicted(window: str) -> str:
    """What the judge would say of all answers: its share, moved by the slope times what the judged differ from all in the local share."""
    both = f"{_sum('spread_both', window)} / {_told('local', window)} and {_told('judge', window)}"
    among_judged = f"{_sum('local', window)} / {_sum('weight', window)}"
    among_all = f"{_all('local', window)} / ({_all('weight', window)} > 0)"
    slope = _or_zero(both, window)
    return f"clamp(\n  {judged_ratio(window)} - {slope} * ({among_judged} - {among_all}),\n  0, 1\n)"


def _judges_bound(window: str, *, upper: bool) -> str:
    """A bound of what the judge would say of all answers: Wilson's for the judge alone at the sample that all is worth, moved."""
    moved = f"{_name('predicted', window)} - {judged_ratio(window)}"
    return f"clamp(\n  {moved}\n  + {promql.wilson(judged_ratio(window), samples(window), upper=upper)},\n  0, 1\n)"


def _stated(window: str, *, upper: bool) -> str:
    judges = _name(_bound(upper=upper), window)
    moved = judges if upper else f"({judges} - {JUDGE_ERROR:g})"
    return f"clamp({moved} / {round(1 - JUDGE_ERROR, 6):g}, 0, 1)"


def _corrected(window: str) -> str:
    predicted, specificity, youden = _name("predicted", window), errors("specificity"), errors("youden")
    return f"clamp(\n  ({predicted} + {specificity} - 1)\n  / {youden},\n  0, 1\n)"


def _measured(window: str, *, upper: bool) -> str:
    """A bound of the corrected ratio, with the sampling error of the judge's rates; nothing where they were not measured."""
    share, distance = ratio(window), f"({_name('predicted', window)} - {_name(_bound(upper=upper), window)})"
    missed, passed = (errors(f"{rate}_variance") for rate in ("sensitivity", "specificity"))
    variance = f"{distance} ^ 2 + {round(promql.Z**2, 4)} * ({share} ^ 2 * {missed} + (1 - {share}) ^ 2 * {passed})"
    return f"clamp(\n  {share} {'+' if upper else '-'} sqrt(\n   {variance}\n  ) / {errors('youden')},\n  0, 1\n)"


def _bound(*, upper: bool) -> str:
    return "upper95" if upper else "lower95"
