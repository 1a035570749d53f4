"""Tokens of a test: JSON web tokens (RFC 7519) that openssl signs, and the file of keys (RFC 7517) that says which."""

from __future__ import annotations

import base64
import json
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.parts import paths


class Signer:
    """Makes a key in a folder. `keys` is the file of public keys."""

    def __init__(self, folder: Path) -> None:
        self._key = folder / "tokens.key"
        self.keys = folder.resolve() / "tokens.jwks"
        _openssl("genrsa", "-out", self._key, "2048")
        modulus = _openssl("rsa", "-in", self._key, "-noout", "-modulus").decode("ascii").strip().partition("=")[2]
        key = {
            "kty": "RSA",
            "kid": "one",
            "use": "sig",
            "alg": "RS256",
            "e": "AQAB",
            "n": _text(bytes.fromhex(modulus)),
        }
        self.keys.write_text(json.dumps({"keys": [key]}), encoding="ascii")

    def sign(self, user: str, *, seconds: float = 3600, **claims: Any) -> str:
        """A token of `user` that lasts so many seconds, with more claims."""
        now = int(time.time())
        said = {"sub": user, "iat": now - 5, "exp": int(now + seconds), "scope": "kafka", **claims}
        parts = [_text(json.dumps(part).encode()) for part in ({"alg": "RS256", "typ": "JWT", "kid": "one"}, said)]
        signed = ".".join(parts)
        return f"{signed}.{_text(_openssl('dgst', '-sha256', '-sign', self._key, given=signed.encode()))}"


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")


def _openssl(*words: str | Path, given: bytes = b"") -> bytes:
    command = [str(paths.find("openssl")), *(str(word) for word in words)]
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"openssl {words[0]} failed: {done.stderr[-500:]!r}")
    return done.stdout
