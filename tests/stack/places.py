"""Addresses and paths of containers, written as those of this machine."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests.stack.model import Service


class Places:
    """`ports` says which port of 127.0.0.1 stands for each port of a container; each service has a folder below `folder` for its root."""

    def __init__(self, names: Iterable[str], ports: Mapping[int, int], folder: Path) -> None:
        self._ports = ports
        self._folder = folder
        hosts, numbers = "|".join([*names, r"0\.0\.0\.0", "localhost"]), "|".join(map(str, ports))
        self._address = re.compile(rf"(?<![\w.-])(?:{hosts}):({numbers})\b")

    def root(self, service: Service) -> Path:
        """The folder that is a service's root."""
        return self._folder / service.name

    def path(self, service: Service, inside: str) -> Path:
        """A path of a container, on this machine."""
        return self.root(service) / inside.lstrip("/")

    def text(self, service: Service, text: str) -> str:
        """A line of a command or of a file, with addresses and mounted paths of here."""
        text = self._address.sub(lambda found: f"127.0.0.1:{self._ports[int(found[1])]}", text)
        for target in sorted((mount.target for mount in service.mounts), key=len, reverse=True):
            text = re.sub(rf"(?<![\w./-]){re.escape(target)}(?![\w.-])", str(self.path(service, target)), text)
        return text

    def value(self, service: Service, value: str) -> str:
        """The same for a value of the environment, which may be a host or a port alone."""
        if value == "0.0.0.0":
            return "127.0.0.1"
        if value.isdigit() and int(value) in self._ports:
            return str(self._ports[int(value)])
        return self.text(service, value)

    def lay_out(self, service: Service) -> None:
        """Put what is mounted where the service looks for it: files rewritten, folders as they are, volumes empty."""
        for mount in service.mounts:
            place = self.path(service, mount.target)
            place.parent.mkdir(parents=True, exist_ok=True)
            if mount.source is None:
                place.mkdir(exist_ok=True)
            elif mount.source.is_dir():
                shutil.copytree(mount.source, place, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                place.write_text(self.text(service, mount.source.read_text(encoding="utf-8")), encoding="utf-8")
