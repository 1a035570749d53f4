"""The error tree.

    SidecarError
    ├── ConfigError             a setting is wrong: names the field and the mend; only at start-up
    ├── BrokerError             Kafka cannot be reached or refuses us: names the step that failed
    ├── OutputError             what a command makes could not be written: names the file and why
    ├── DecodeError             these bytes are not what they should be; the record goes to the dead-letter topic
    ├── Unscorable              an evaluator cannot score this request, with a reason; not a failure
    └── InferenceError          a model or judge did not answer
        ├── RetryableInferenceError
        └── PermanentInferenceError

Exporters have their own two errors in exporters/base.py. Foreign exceptions are mapped at the door they come in by.
Messages never hold user text or secrets.
"""

from __future__ import annotations


class SidecarError(Exception):
    """Base of all errors of the sidecar."""


class ConfigError(SidecarError):
    """A setting is wrong. `field` is its dotted path, `problem` what is wrong, `mend` what to write instead."""

    def __init__(self, field: str, problem: str, mend: str = "") -> None:
        super().__init__(f"{field}: {problem}" + (f" ({mend})" if mend else ""))
        self.field = field
        self.problem = problem
        self.mend = mend


class BrokerError(SidecarError):
    """Kafka is out of reach or refused us. `step` is one of resolve, connect, tls, authenticate, authorize, topic, group.
    `passing`: it may pass without anyone changing a setting, a login or a right, so that waiting for it makes sense."""

    def __init__(self, step: str, problem: str, mend: str = "", *, passing: bool = False) -> None:
        super().__init__(f"{step}: {problem}" + (f" ({mend})" if mend else ""))
        self.step = step
        self.mend = mend
        self.passing = passing


class OutputError(SidecarError):
    """What a command makes could not be written, for example since the disk is full."""


class DecodeError(SidecarError):
    """A record could not be understood. `reason` is bounded (it becomes a label); `detail` names the place, not the text."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class Unscorable(SidecarError):  # noqa: N818 - a statement about the request, not an error of ours
    """This request cannot be scored by this evaluator. `reason` is bounded (it becomes a label)."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class InferenceError(SidecarError):
    """A model or judge did not answer. `reason` is bounded. `said` is what a server said to it, which may repeat user text: it is no part of the
    message, and for those who asked about an example."""

    def __init__(self, reason: str, detail: str = "", *, said: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.said = said


class RetryableInferenceError(InferenceError):
    """Trying again may help."""


class PermanentInferenceError(InferenceError):
    """Trying again will not help."""
