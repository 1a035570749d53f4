"""What aiokafka asks for at each connection, out of files that something else keeps fresh."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from aiokafka.abc import AbstractTokenProvider

from exporters.clients.bootstrap import RebootstrappingClient
from exporters.clients.files import read_text


class TokenFile(AbstractTokenProvider):  # type: ignore[misc]
    """An OAUTHBEARER token from a file, such as a projected service account token. `field` is the setting's dotted path."""

    def __init__(self, field: str, file: Path) -> None:
        self._field = field
        self._file = file

    async def token(self) -> str:
        """Raises UnreadableFileError."""
        return read_text(self._field, self._file)


class _PasswordFromFile(RebootstrappingClient):
    _read_password: Callable[[], str]

    @property
    def _sasl_plain_password(self) -> str:
        return self._read_password()


def reread_password(client: Any, read: Callable[[], str]) -> None:
    """Make an AIOKafkaClient ask `read` for the password of each connection. It does what `rebootstrap` makes of it, too.

    aiokafka builds its client inside its consumer and producer, which take the password as a text: one that was
    replaced since would be sent for ever, and a broker that has forgotten it refuses each reconnection.
    """
    client._read_password = read
    client.__class__ = _PasswordFromFile
