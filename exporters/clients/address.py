"""Addresses of servers in settings."""

from __future__ import annotations

from urllib.parse import urlsplit


def http_address(url: str, *, login: str) -> str:
    """The address as it is. Raises ValueError where it is none of http, or holds a login; `login` says where that is given."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("must be an address that begins with http:// or https://")
    if parts.username or parts.password:
        raise ValueError(f"must hold no login: {login}")
    return url
