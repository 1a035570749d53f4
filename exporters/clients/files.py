"""Files of the settings: secrets and certificates that are replaced while we run."""

from __future__ import annotations

from pathlib import Path


class UnreadableFileError(OSError):
    """A file of the settings cannot be read, or does not hold what it should. At the start that is a wrong setting; to a client
    that runs it is one more connection that could not be made, and may be made later: files are replaced while we run.

    `field` is the setting's dotted path, `problem` what is wrong, `mend` what to do.
    """

    def __init__(self, field: str, problem: str) -> None:
        self.field = field
        self.problem = problem
        self.mend = "give a file that this process can read"
        super().__init__(f"{field}: {problem} ({self.mend})")


def read_text(field: str, file: Path) -> str:
    """What a file holds, without white space at either end. Raises UnreadableFileError naming `field`."""
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableFileError(field, f"{file}: {type(error).__name__}") from error
