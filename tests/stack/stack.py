"""Starts the services of compose.yaml as processes, in the order that they ask for, and ends them in the reverse one."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from graphlib import TopologicalSorter
from pathlib import Path
from types import TracebackType

from tests.parts import kafka, paths
from tests.parts.process import Server, free_ports, listens
from tests.stack.model import Service, load
from tests.stack.places import Places

# For tests: traces end soon, and every request is scored, however busy the machine is.
QUICK = {"RAG_SIDECAR_ASSEMBLE__QUIET_SECONDS": "1", "RAG_SIDECAR_SAMPLE__BUDGET__ENABLED": "false"}
# Nowhere to be had without a container.
WITHOUT = frozenset({"grafana"})
_SECONDS = 180.0


def _kafka(service: Service, places: Places) -> list[str | Path]:
    properties = places.path(service, "/mnt/shared/config/server.properties")
    cluster = service.environment["CLUSTER_ID"]
    kafka.format_storage(kafka.java("kafka.tools.StorageTool", "format", "-t", cluster, "-c", properties))
    return kafka.java("kafka.Kafka", properties)


def _program(name: str, *words: str) -> Callable[[Service, Places], list[str | Path]]:
    def command(service: Service, places: Places) -> list[str | Path]:
        return [paths.find(name), *words, *(places.text(service, word) for word in service.command)]

    return command


def _python(service: Service, places: Places) -> list[str | Path]:
    first, *words = service.entrypoint or ("rag-sidecar",)
    given = (places.text(service, word) for word in (*words, *service.command))
    return [Path(sys.executable).with_name(first), *given]


_COMMANDS: Mapping[str, Callable[[Service, Places], Sequence[str | Path]]] = {
    "apache/kafka": _kafka,
    "otel/opentelemetry-collector-contrib": _program("otelcol"),
    "prom/prometheus": _program("prometheus"),
    "prom/alertmanager": _program("alertmanager"),
    "arizephoenix/phoenix": _program("phoenix", "serve"),
    "rag-sidecar": _python,
}


class Stack:
    """Used as `with Stack() as stack`. `ports_free` takes free ports in place of those of compose.yaml; `without` are services to leave out;
    `environment` is added to that of a service, by name."""

    def __init__(
        self,
        *,
        ports_free: bool = False,
        without: Collection[str] = (),
        environment: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self._all = load()
        self.services = {name: one for name, one in self._all.items() if name not in WITHOUT.union(without)}
        self._more = environment or {}
        inside = sorted({port for service in self._all.values() for port in service.ports})
        self.ports = dict(zip(inside, free_ports(len(inside)) if ports_free else inside, strict=True))
        self.servers: dict[str, Server] = {}
        self._stopping = ExitStack()

    def __enter__(self) -> Stack:
        try:
            self._start()
        except BaseException:
            self._stopping.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stopping.close()

    def url(self, name: str) -> str:
        """Where people open a service; where it has several ports, the last."""
        return f"http://127.0.0.1:{self.ports[self.services[name].published[-1]]}"

    def ended(self) -> Server | None:
        """A service that has ended, which none should."""
        return next((server for server in self.servers.values() if not server.runs), None)

    def _start(self) -> None:
        if taken := [port for one in self.services.values() for port in one.ports if listens(self.ports[port])]:
            raise RuntimeError(f"something listens on {', '.join(map(str, taken))} of 127.0.0.1 already")
        folder = Path(self._stopping.enter_context(tempfile.TemporaryDirectory(prefix="rag-sidecar-stack-")))
        places = Places(self._all, self.ports, folder)
        order = TopologicalSorter({name: one.after & self.services.keys() for name, one in self.services.items()})
        order.prepare()
        # Those that wait for nobody start together, and then those that waited for them.
        while ready := order.get_ready():
            for name in sorted(ready):
                self._launch(self.services[name], places)
            for name in ready:
                self.servers[name].wait_until(self._answers(self.services[name]), seconds=_SECONDS)
                order.done(name)

    def _launch(self, service: Service, places: Places) -> None:
        places.lay_out(service)
        server = Server(
            service.name,
            _COMMANDS[service.image](service, places),
            log=places.root(service) / "log",
            cwd=places.path(service, service.working_dir or "/"),
            environment={
                **{name: places.value(service, value) for name, value in service.environment.items()},
                **self._more.get(service.name, {}),
            },
            own_session=True,
        )
        self.servers[service.name] = server
        self._stopping.callback(server.stop)

    def _answers(self, service: Service) -> Callable[[], bool]:
        return lambda: all(listens(self.ports[port]) for port in service.ports)
