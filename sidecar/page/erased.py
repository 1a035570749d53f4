"""What was asked to be erased, so that it is not kept when it comes again: keyed digests, of no use outside this process."""

from __future__ import annotations

import hashlib
import secrets
from collections import OrderedDict

# Of traces there may be many: every tombstone in the results topic is one. They push out none that somebody asked for here by user or session.
# One takes about 200 bytes.
_MOST_TRACES, _MOST_USERS, _MOST_SESSIONS = 100_000, 10_000, 10_000


class Erased:
    """Marks of traces, of users and of sessions, each up to a number: then the oldest of its kind goes. Not safe for threads."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(16)
        self._traces = _Marks(_MOST_TRACES)
        self._users = _Marks(_MOST_USERS)
        self._sessions = _Marks(_MOST_SESSIONS)

    def user_digest(self, user: str | None) -> bytes | None:
        """What stands for a user's id."""
        return None if user is None else self._digest("user", user)

    def add(self, *, trace_id: str | None = None, user: str | None = None, session: str | None = None) -> None:
        """Remember what is named."""
        if trace_id is not None:
            self._traces.add(self._digest("trace", trace_id))
        if user is not None:
            self._users.add(self._digest("user", user))
        if session is not None:
            self._sessions.add(self._digest("session", session))

    def covers(self, *, trace_id: str, user: bytes | None, session: str | None) -> bool:
        """Whether an answer of that trace, of that user (a digest) and of that session is among what was erased."""
        return (
            (user is not None and user in self._users)
            or (bool(self._traces) and self._digest("trace", trace_id) in self._traces)
            or (bool(self._sessions) and session is not None and self._digest("session", session) in self._sessions)
        )

    def _digest(self, kind: str, text: str) -> bytes:
        told = f"{kind}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(told, key=self._secret, digest_size=16).digest()


class _Marks(OrderedDict[bytes, None]):
    """The latest of them, `most` at most."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def add(self, mark: bytes) -> None:
        self[mark] = None
        self.move_to_end(mark)
        if len(self) > self._most:
            self.popitem(last=False)
