"""Certificates of a test, made by openssl: one authority, a broker and a client."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.parts import paths


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM files. `broker` holds key, certificate and authority in this order, as Kafka reads them; the stranger is a client that
    `other_authority` has signed."""

    authority: Path
    broker: Path
    client_certificate: Path
    client_key: Path
    other_authority: Path
    stranger_certificate: Path
    stranger_key: Path


def make_certificates(folder: Path) -> Certificates:
    """Make all of them in `folder`, for 127.0.0.1 and localhost, valid for two days."""
    authority = _authority(folder, "ca")
    other = _authority(folder, "other-ca")
    _signed(folder, "broker", by="ca")
    _signed(folder, "client", by="ca")
    _signed(folder, "stranger", by="other-ca")
    bundle = folder / "broker-bundle.pem"
    names = ("broker.key", "broker.crt", "ca.crt")
    bundle.write_text("".join((folder / name).read_text(encoding="ascii") for name in names), encoding="ascii")
    pairs = [folder / f"{name}.{kind}" for name in ("client", "stranger") for kind in ("crt", "key")]
    return Certificates(authority, bundle, pairs[0], pairs[1], other, pairs[2], pairs[3])


def make_client(folder: Path, name: str, *, subject: str) -> tuple[Path, Path]:
    """One more client of the authority that `make_certificates` made in `folder`: certificate and key. `subject` as openssl writes it, `/O=.../CN=...`."""
    _signed(folder, name, by="ca", subject=subject)
    return folder / f"{name}.crt", folder / f"{name}.key"


def _authority(folder: Path, name: str) -> Path:
    certificate = folder / f"{name}.crt"
    _openssl(
        *("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", f"/CN=rag-sidecar test {name}"),
        *("-addext", "keyUsage=critical,keyCertSign,cRLSign"),
        *("-keyout", folder / f"{name}.key", "-out", certificate),
    )
    return certificate


def _signed(folder: Path, name: str, *, by: str, subject: str | None = None) -> None:
    request, raw, extensions = folder / f"{name}.csr", folder / f"{name}.raw", folder / f"{name}.ext"
    extensions.write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n", encoding="ascii")
    subject = subject or f"/CN={name}"
    _openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", subject, "-keyout", raw, "-out", request)
    _openssl(
        *("x509", "-req", "-in", request, "-CA", folder / f"{by}.crt", "-CAkey", folder / f"{by}.key", "-days", "2"),
        *("-CAcreateserial", "-extfile", extensions, "-out", folder / f"{name}.crt"),
    )
    # Java reads private keys as PKCS#8 only.
    _openssl("pkcs8", "-topk8", "-nocrypt", "-in", raw, "-out", folder / f"{name}.key")


def _openssl(*words: str | Path) -> None:
    done = subprocess.run(
        [str(paths.find("openssl")), *(str(word) for word in words)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"openssl {words[0]} failed: {done.stderr[-500:]}")
