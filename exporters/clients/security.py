"""How we speak to Kafka's brokers and who we say we are. Secrets never show in a repr or a message."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from exporters.clients.bootstrap import rebootstrap
from exporters.clients.files import UnreadableFileError, read_text
from exporters.clients.login import TokenFile, reread_password
from exporters.clients.oauth import ClientCredentials, OauthConfig
from exporters.clients.tls import RereadContext

Protocol = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
Mechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]
_SCHEME = re.compile(r"\A\s*([A-Za-z][A-Za-z0-9+._-]{0,30}://)")


class SecurityConfig(BaseModel):
    """How we speak to the brokers and who we say we are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    protocol: Protocol = Field(default="PLAINTEXT", description="PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL.")
    sasl_mechanism: Mechanism = Field(
        default="SCRAM-SHA-512", description="PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER; read for SASL only."
    )
    username: str | None = Field(default=None, description="SASL user.")
    password: SecretStr | None = Field(default=None, description="SASL password; better from the environment.")
    password_file: Path | None = Field(
        default=None, description="File that holds the SASL password; read again for each connection."
    )
    token_file: Path | None = Field(
        default=None, description="File that holds an OAUTHBEARER token; read again for each connection."
    )
    oauth: OauthConfig | None = Field(
        default=None, description="Token endpoint that OAUTHBEARER tokens are fetched from, in place of token_file."
    )
    ca_file: Path | None = Field(
        default=None,
        description="PEM file of authorities to trust; else the system's. This and the next two are read again once they are replaced.",
    )
    cert_file: Path | None = Field(default=None, description="PEM file of our certificate, for mutual TLS.")
    key_file: Path | None = Field(default=None, description="PEM file of its private key.")
    key_password: SecretStr | None = Field(default=None, description="Password of the private key, if it has one.")
    check_hostname: bool = Field(default=True, description="Whether the broker's certificate must hold its host name.")

    @property
    def tls(self) -> bool:
        """Whether connections are encrypted."""
        return self.protocol in ("SSL", "SASL_SSL")

    @property
    def sasl(self) -> bool:
        """Whether we log in."""
        return self.protocol in ("SASL_PLAINTEXT", "SASL_SSL")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.sasl:
            self._check_login()
        elif self.username or self.password or self.password_file or self.token_file or self.oauth:
            raise ValueError(f"protocol {self.protocol} does not log in: set SASL_SSL, or remove username and password")
        if not self.tls and (self.ca_file or self.cert_file or self.key_file):
            raise ValueError(
                f"protocol {self.protocol} is not encrypted: set SSL or SASL_SSL, or remove the certificates"
            )
        if (self.cert_file is None) != (self.key_file is None):
            raise ValueError("cert_file and key_file belong together")
        return self

    def _check_login(self) -> None:
        if self.sasl_mechanism == "OAUTHBEARER":
            if (self.token_file is None) == (self.oauth is None):
                raise ValueError("OAUTHBEARER needs either token_file or oauth, and not both")
            return
        if self.username is None:
            raise ValueError(f"{self.sasl_mechanism} needs username")
        if (self.password is None) == (self.password_file is None):
            raise ValueError(f"{self.sasl_mechanism} needs either password or password_file, and not both")

    def client_options(self, path: str) -> dict[str, Any]:
        """What aiokafka's clients take as keyword arguments. Reads the files; raises UnreadableFileError naming the one at fault by
        its place under `path`, the dotted path of this section."""
        options: dict[str, Any] = {"security_protocol": self.protocol}
        if self.tls:
            options["ssl_context"] = self._ssl_context(path)
        if self.sasl:
            options["sasl_mechanism"] = self.sasl_mechanism
            if self.sasl_mechanism == "OAUTHBEARER":
                options["sasl_oauth_token_provider"] = self._tokens(path)
            else:
                options["sasl_plain_username"] = self.username
                options["sasl_plain_password"] = self.read_password(path)
        return options

    def read_password(self, path: str) -> str:
        """The SASL password as it is now. Raises UnreadableFileError."""
        if self.password is not None:
            return self.password.get_secret_value()
        return read_text(f"{path}.password_file", _required(self.password_file))

    def _tokens(self, path: str) -> TokenFile | ClientCredentials:
        if self.oauth is not None:
            return ClientCredentials(self.oauth, f"{path}.oauth")
        return TokenFile(f"{path}.token_file", _required(self.token_file))

    def _ssl_context(self, path: str) -> RereadContext:
        files = [file for file in (self.ca_file, self.cert_file, self.key_file) if file is not None]
        return RereadContext(ssl.PROTOCOL_TLS_CLIENT, lambda: self._read_certificates(path), files)

    def _read_certificates(self, path: str) -> ssl.SSLContext:
        for field in ("ca_file", "cert_file", "key_file"):
            file: Path | None = getattr(self, field)
            if file is not None:
                read_text(f"{path}.{field}", file)
        try:
            context = ssl.create_default_context(cafile=self.ca_file)
        except ssl.SSLError as error:
            raise UnreadableFileError(f"{path}.ca_file", f"{self.ca_file} is not a PEM file of certificates") from error
        context.check_hostname = self.check_hostname
        if self.cert_file and self.key_file:
            secret = self.key_password.get_secret_value() if self.key_password else ""
            try:
                context.load_cert_chain(self.cert_file, self.key_file, password=secret)
            except ssl.SSLError as error:
                raise UnreadableFileError(
                    f"{path}.cert_file", "certificate and key do not fit, or the key's password is wrong"
                ) from error
        return context


def refuse_schemes(servers: Iterable[str]) -> None:
    """Raise ValueError for servers that are written as a URL."""
    for server in servers:
        if found := _SCHEME.match(server):
            raise ValueError(f"leave out {found[1]}, brokers are host:port")


@dataclass(frozen=True, slots=True)
class Brokers:
    """A cluster as its clients reach it. `servers` is host:port, separated by commas; `section` the part of the settings that
    says all this, which messages name."""

    servers: str
    security: SecurityConfig
    section: str

    @property
    def addresses(self) -> tuple[str, ...]:
        """Each server as host:port, with Kafka's own port where none is named."""
        servers = [server.strip() for server in self.servers.split(",") if server.strip()]
        return tuple(server if server.rpartition(":")[2].isdigit() else f"{server}:9092" for server in servers)

    def others(self, than: Brokers) -> bool:
        """Whether a server is named here that is none of `than`'s."""
        known = {address.lower() for address in than.addresses}
        return any(address.lower() not in known for address in self.addresses)

    def client_options(self) -> dict[str, Any]:
        """What aiokafka's clients take as keyword arguments. Reads the files; raises UnreadableFileError naming the one at fault."""
        return {"bootstrap_servers": self.servers, **self.security.client_options(f"{self.section}.security")}

    def keep_fresh(self, client: Any) -> None:
        """Make an AIOKafkaClient of these brokers find them again when all that it knew are gone, and send a password file's present content
        wherever it connects again."""
        if self.security.password_file is None:
            rebootstrap(client)
        else:
            reread_password(client, lambda: self.security.read_password(f"{self.section}.security"))


def _required(path: Path | None) -> Path:
    if path is None:
        raise ValueError("the settings were not validated")
    return path
