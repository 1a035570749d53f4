"""What users said of an answer, and which arm of an experiment a request was in: read of any span, whatever its convention."""

from __future__ import annotations

from sidecar.decode.values.scalars import first_text, number, slots, text_of
from sidecar.record.record import Attributes
from sidecar.record.span import RawSpan

_EVALUATION = "gen_ai.evaluation.result"
_OF_USERS = ("feedback", "thumb", "rating", "user")
_EXPERIMENT = "experiment:"


def feedback(span: RawSpan) -> float | None:
    """The score that a human gave: an annotation by a HUMAN, or an evaluation event named after users' feedback. What models
    say of an answer is no feedback."""
    attributes = span.attributes
    if any(key.startswith(("annotations.", "evaluations.")) for key in attributes):
        for prefix, inner in (("annotations", "annotation."), ("evaluations", "evaluation.")):
            for _, slot in sorted(slots(attributes, prefix).items()):
                score = number(slot.get(inner + "score"))
                if score is not None and str(slot.get(inner + "annotator_kind")).upper() == "HUMAN":
                    return score
    for event in span.events:
        if event.name == _EVALUATION:
            name = str(event.attributes.get("gen_ai.evaluation.name")).lower()
            score = number(event.attributes.get("gen_ai.evaluation.score.value"))
            if score is not None and any(word in name for word in _OF_USERS):
                return score
    return None


def variant(span: RawSpan) -> str | None:
    """The variant of a feature flag's evaluation, else a tag `experiment:NAME`."""
    for event in span.events:
        if event.name == "feature_flag.evaluation":
            found = first_text(event.attributes, "feature_flag.result.variant", "feature_flag.variant")
            if found and len(found) <= 256:
                return found
    return _of_tags(span.attributes)


def _of_tags(attributes: Attributes) -> str | None:
    for key in ("tag.tags", "langfuse.trace.tags", "langsmith.span.tags"):
        tags = attributes.get(key)
        if isinstance(tags, str):
            tags = tags.split(",")
        for tag in tags if isinstance(tags, list | tuple) else ():
            text = text_of(tag)
            if text and text.startswith(_EXPERIMENT) and len(text) <= 256:
                return text_of(text.removeprefix(_EXPERIMENT))
    return None
