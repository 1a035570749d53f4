"""A control plane of Kubernetes on free ports: etcd and the API server, with the admission of a cluster. No controllers and no nodes: objects are taken or refused,
and nothing runs."""

from __future__ import annotations

import json
import ssl
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx
import yaml

from tests.parts import paths
from tests.parts.certificates import make_certificates, make_client
from tests.parts.process import Server, free_ports, listens

# The group that RBAC lets do anything.
_ADMINISTRATOR = "/O=system:masters/CN=administrator"
# What a namespace says of the pods in it, by what becomes of those that are not so.
_POD_SECURITY = "pod-security.kubernetes.io/{}"


@dataclass(frozen=True, slots=True)
class Answer:
    """What the API server said: HTTP status, the object or its complaint, and the texts of its warnings."""

    status: int
    body: dict[str, Any]
    warnings: tuple[str, ...]


class ControlPlane:
    """Used as `with ControlPlane() as plane`. Who has `kubeconfig` may do anything."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="rag-sidecar-control-plane-")
        self._work = Path(self._folder.name)
        self._etcd_port, self._peer_port, self._port = free_ports(3)
        self._servers: list[Server] = []
        self._client: httpx.Client | None = None
        self._resources: dict[tuple[str, str], tuple[str, bool]] = {}

    @property
    def kubeconfig(self) -> Path:
        """The file that Helm reads to get in."""
        return self._work / "kubeconfig.yaml"

    def __enter__(self) -> ControlPlane:
        try:
            self._make_ready()
            self._start_etcd()
            self._start_api_server()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._client is not None:
            self._client.close()
        for server in reversed(self._servers):
            server.stop()
        self._folder.cleanup()

    def ask(
        self, method: str, path: str, body: Any = None, *, kind: str = "application/json", **parameters: str
    ) -> Answer:
        """One request to the API. Fields that the server does not know are an error, as with `kubectl apply`."""
        assert self._client is not None
        told = {"fieldValidation": "Strict", **parameters} if body is not None else parameters
        answer = self._client.request(
            method,
            path,
            params=told,
            content=None if body is None else json.dumps(body),
            headers={} if body is None else {"Content-Type": kind},
        )
        said = tuple(one.split(" ", 2)[2].strip('"') for one in answer.headers.get_list("Warning"))
        # Of what it does not serve it says so in plain words.
        is_json = answer.headers["Content-Type"].startswith("application/json")
        return Answer(answer.status_code, answer.json() if is_json else {"message": answer.text}, said)

    def create(self, one: Mapping[str, Any]) -> Answer:
        """Make an object."""
        return self.ask("POST", self._collection(one), dict(one))

    def get(self, one: Mapping[str, Any]) -> Answer:
        """The object of that kind and name as it is stored."""
        return self.ask("GET", f"{self._collection(one)}/{one['metadata']['name']}")

    def create_namespace(self, name: str, *, level: str = "restricted") -> None:
        """A namespace whose pods are held to a level of the Pod Security Standards, and of whose templates the server warns; with the account that a
        controller would make in it."""
        labels = {_POD_SECURITY.format(mode): level for mode in ("enforce", "warn")}
        made = self.ask("POST", "/api/v1/namespaces", {"metadata": {"name": name, "labels": labels}})
        assert made.status == 201, made
        account = self.ask("POST", f"/api/v1/namespaces/{name}/serviceaccounts", {"metadata": {"name": "default"}})
        assert account.status == 201, account

    def define(self, definition: Mapping[str, Any]) -> None:
        """Make a kind of custom resource known, and wait until it is served."""
        made = self.create(definition)
        assert made.status == 201, made
        served = f"/apis/{definition['spec']['group']}/{definition['spec']['versions'][0]['name']}"
        plural = definition["spec"]["names"]["plural"]
        self._servers[-1].wait_until(
            lambda: plural in [one["name"] for one in self.ask("GET", served).body.get("resources", [])], seconds=60
        )

    def _collection(self, one: Mapping[str, Any]) -> str:
        """Where objects of its kind and namespace are."""
        version, kind = one["apiVersion"], one["kind"]
        base = f"/apis/{version}" if "/" in version else f"/api/{version}"
        if (version, kind) not in self._resources:
            for known in self.ask("GET", base).body["resources"]:
                if "/" not in known["name"]:
                    self._resources[version, known["kind"]] = (known["name"], known["namespaced"])
        plural, namespaced = self._resources[version, kind]
        return f"{base}/namespaces/{one['metadata']['namespace']}/{plural}" if namespaced else f"{base}/{plural}"

    def _make_ready(self) -> None:
        """Certificates, the way in, and the client that uses it."""
        certificates = make_certificates(self._work)
        certificate, key = make_client(self._work, "administrator", subject=_ADMINISTRATOR)
        address = f"https://127.0.0.1:{self._port}"
        cluster = {"server": address, "certificate-authority": str(certificates.authority)}
        user = {"client-certificate": str(certificate), "client-key": str(key)}
        told = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": cluster}],
            "users": [{"name": "administrator", "user": user}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "administrator"}}],
            "current-context": "test",
        }
        self.kubeconfig.write_text(yaml.safe_dump(told), encoding="utf-8")
        self.kubeconfig.chmod(0o600)
        context = ssl.create_default_context(cafile=str(certificates.authority))
        context.load_cert_chain(certificate, key)
        self._client = httpx.Client(base_url=address, verify=context, timeout=60, trust_env=False)

    def _start_etcd(self) -> None:
        peer, client = f"http://127.0.0.1:{self._peer_port}", f"http://127.0.0.1:{self._etcd_port}"
        options = {
            "data-dir": str(self._work / "etcd"),
            "listen-client-urls": client,
            "advertise-client-urls": client,
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": f"default={peer}",
            "log-level": "warn",
            "unsafe-no-fsync": "true",
        }
        self._start("etcd", options)
        self._servers[-1].wait_until(lambda: listens(self._etcd_port), seconds=60)

    def _start_api_server(self) -> None:
        """Admission is that of a cluster by default, with PodSecurity among it."""
        options = {
            "etcd-servers": f"http://127.0.0.1:{self._etcd_port}",
            "bind-address": "127.0.0.1",
            "advertise-address": "127.0.0.1",
            "secure-port": str(self._port),
            "service-cluster-ip-range": "10.0.0.0/24",
            "authorization-mode": "RBAC",
            "client-ca-file": str(self._work / "ca.crt"),
            "tls-cert-file": str(self._work / "broker.crt"),
            "tls-private-key-file": str(self._work / "broker.key"),
            "service-account-issuer": "https://kubernetes.default.svc",
            "service-account-key-file": str(self._work / "broker.key"),
            "service-account-signing-key-file": str(self._work / "broker.key"),
            "endpoint-reconciler-type": "none",
        }
        self._start("kube-apiserver", options)
        self._servers[-1].wait_until(self._ready, seconds=180)

    def _start(self, program: str, options: Mapping[str, str]) -> None:
        words = [f"--{name}={value}" for name, value in options.items()]
        command: list[str | Path] = [paths.find_control_plane_programs() / program, *words]
        self._servers.append(Server(program, command, log=self._work / f"{program}.log", cwd=self._work))

    def _ready(self) -> bool:
        assert self._client is not None
        try:
            return self._client.get("/readyz").status_code == 200
        except httpx.TransportError:
            return False
