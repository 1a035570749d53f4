"""The estimate that people's labels anchor, in PromQL: `by_labels` of sidecar/evaluate/estimate.py over recorded sums.

Labels come days after their answers, so that no window of time holds both. What lasts is how often the local verdict of one identity is right on one service
(`evaluate.anchors`): the share of all its verdicts is corrected by that, until the labels are too old. Every name is of a recorded series of a service.
"""

from __future__ import annotations

from dashboards import promql
from dashboards.objectives import COVERED, RATES_DRIFT

LEVEL = "rag_service"
_RATE, _LABELLED = "rag_sidecar_label_rate", "rag_sidecar_labelled_answers"
_EXPIRY = "rag_sidecar_labels_expiry_timestamp_seconds"
_IDENTITY = f"{LEVEL}_identity:rag_label_rates:known"
_BOTH = ("sensitivity", "specificity")


def once() -> dict[str, str]:
    """The rules of what labels say of the verdict, whatever the window. Over replicas, which differ while settings are rolled out, it is their mean."""
    identity = f"{LEVEL}, identity"
    made = {
        _IDENTITY: f'max by ({identity}) ({_RATE}{{rate="specificity",bound="share"}}) * 0 + 1\n'
        # Labels without a date have no such time.
        f"unless max by ({identity}) ({_EXPIRY}) <= time()"
    }
    for rate in _BOTH:
        for bound in ("share", "lower", "upper"):
            made[_rates(rate, bound)] = f'avg by ({LEVEL}) ({_RATE}{{rate="{rate}",bound="{bound}"}})'
    labelled = f'avg by ({LEVEL}) ({_LABELLED}{{label="hallucinated"}})'
    found = _rates("sensitivity", "share")
    # Laplace's rule, as long as few bad answers were labelled.
    made[_rates("sensitivity", "smooth")] = f"({found} * {labelled} + 1) / ({labelled} + 2)"
    return made


def given() -> str:
    """The services whose verdict people labelled, whether the labels are of any use today or not."""
    return f'max by ({LEVEL}) ({_RATE}{{rate="specificity",bound="share"}})'


def seconds_left() -> str:
    """How long the labels of a service go on anchoring, below 0 where they do no more; nothing of labels without a date."""
    return f"max by ({LEVEL}) ({_EXPIRY}) - time()"


def samples(window: str) -> str:
    """Name of the effective number of answers whose verdict is of the labelled identity; nothing where too many are of another."""
    return _name("samples", window)


def rules(window: str, *, whole: str) -> dict[str, str]:
    """The rules of a window; `whole` is the recorded weight of all verdicts of the service."""

    def total(series: str, extra: str) -> str:
        own = f"increase({series}{promql.selector(extra)}[{window}]) * on ({LEVEL}, identity) group_left () {_IDENTITY}"
        return f"sum by ({LEVEL}) ({own})"

    weight, ratio = _name("weight", window), _name("ratio", window)
    flagged = f"{total(promql.WEIGHT, promql.HALLUCINATED)} or 0 * {weight}"
    return {
        weight: f"{total(promql.WEIGHT, promql.JUDGED)}\n>= {COVERED:g} * {whole}",
        ratio: f"({flagged})\n/ ({weight} > 0)",
        samples(window): f"{weight} ^ 2\n/ ({total(promql.WEIGHT_SQUARED, promql.JUDGED)} > 0)",
    }


def share(window: str) -> str:
    """The true share, inside its interval."""
    youden = f"({_rates('sensitivity', 'smooth')} + {_rates('specificity', 'share')} - 1 > 0)"
    return f"clamp(\n  {_excess(window)} / {youden},\n  0, 1\n)"


def bound(window: str, *, upper: bool) -> str:
    """A bound of it, with the errors of the share, of the rates, and their drift since."""
    ratio, (near, far) = _name("ratio", window), ("upper", "lower") if upper else ("lower", "upper")
    of_share = f"({promql.wilson(ratio, samples(window), upper=upper)} - {ratio}) ^ 2"
    of_passed = f"({_rates('specificity', near)} - {_rates('specificity', 'share')}) ^ 2"
    sign = "+" if upper else "-"
    top = f"{_excess(window)} {sign} sqrt(\n  {of_share}\n  + {of_passed}\n) {sign} {RATES_DRIFT:g}"
    below = f"({_rates('sensitivity', far)} + {_rates('specificity', far)} - 1 > 0)"
    made = f"clamp(\n  ({top})\n  / {below},\n  0, 1\n)"
    # Rates that may be no better than chance bound nothing from above.
    return f"{made}\nor 0 * {ratio} + 1" if upper else made


def _excess(window: str) -> str:
    return f"({_name('ratio', window)} + {_rates('specificity', 'share')} - 1)"


def _rates(rate: str, bound: str) -> str:
    return f"{LEVEL}:rag_label_rates:{rate}_{bound}"


def _name(word: str, window: str) -> str:
    operation = "rate" if word == "ratio" else "increase"
    return f"{LEVEL}:rag_labelled:{word}_{operation}{window}"
