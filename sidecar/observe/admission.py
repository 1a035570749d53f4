"""Who may read /metrics: a bearer token or a user with a password, out of the settings or out of files that are read each time."""

from __future__ import annotations

import base64
import binascii
import hmac
import logging
from pathlib import Path

from pydantic import SecretStr

from sidecar.record.errors import ConfigError

logger = logging.getLogger(__name__)


class Secret:
    """A secret of the settings, or of a file whose every line is one, so that the next one can be taken before the last is given up.

    `field` is the dotted path of the setting; that of the file ends in `_file`.
    """

    def __init__(self, field: str, text: SecretStr | None, file: Path | None) -> None:
        """Raises ConfigError where there is nothing to compare with."""
        self._text = text.get_secret_value().encode() if text is not None else None
        self._file = file
        self._readable = True
        try:
            found = self._read()
        except OSError as error:
            raise ConfigError(f"{field}_file", error.strerror or "cannot be read", "give a readable file") from error
        if not found:
            raise ConfigError(
                field if text is not None else f"{field}_file", "is empty", "an empty secret would let everyone in"
            )

    def matches(self, given: bytes) -> bool:
        """Whether these bytes are one of the secrets: in the same time whichever they are. A file that cannot be read holds none."""
        found = [hmac.compare_digest(given, one) for one in self._now()]
        return any(found)

    def _now(self) -> list[bytes]:
        try:
            found = self._read()
        except OSError as error:
            if self._readable:
                logger.warning("the secret of the admin endpoint cannot be read: %s", type(error).__name__)
            self._readable = False
            return []
        self._readable = True
        return found

    def _read(self) -> list[bytes]:
        if self._text is not None or self._file is None:
            return [self._text] if self._text else []
        return [line.strip() for line in self._file.read_bytes().splitlines() if line.strip()]


class Admission:
    """Looks at Authorization headers. Without token and without user everyone may read."""

    def __init__(self, *, token: Secret | None, user: str | None, password: Secret | None) -> None:
        self._token = token
        self._user = user.encode() if user is not None else None
        self._password = password

    @property
    def asks(self) -> bool:
        """Whether a token or a password is asked for."""
        return self._token is not None or self._password is not None

    @property
    def asks_for_password(self) -> bool:
        """Whether a browser can be let in: it asks its user for a name and a password by itself."""
        return self._password is not None

    def name(self, header: str) -> str | None:
        """The login of a header that was admitted; None for a token and where nothing is asked."""
        scheme, _, _ = header.partition(" ")
        return self._user.decode("utf-8", "replace") if self._user is not None and scheme.lower() == "basic" else None

    @property
    def challenge(self) -> str:
        """What a refusal asks for (RFC 9110, 11.6.1)."""
        asked = ["Bearer"] if self._token is not None else []
        return ", ".join([*asked, 'Basic realm="rag-sidecar", charset="UTF-8"'] if self._password else asked)

    def admits(self, header: str) -> bool:
        """Whether a header, as starlette decodes it, lets its sender in."""
        if not self.asks:
            return True
        scheme, _, given = header.encode("latin-1", "replace").partition(b" ")
        if scheme.lower() == b"bearer" and self._token is not None:
            return self._token.matches(given.strip())
        if scheme.lower() == b"basic" and self._password is not None and self._user is not None:
            user, _, password = _decoded(given).partition(b":")
            # Both are always compared, so that the time does not say which one was wrong.
            known, fits = hmac.compare_digest(user, self._user), self._password.matches(password)
            return known and fits
        return False


def _decoded(given: bytes) -> bytes:
    try:
        return base64.b64decode(given.strip(), validate=True)
    except (binascii.Error, ValueError):
        return b""
