"""Settings that change while the sidecar runs: on SIGHUP, and when the file has changed. All of a file is taken, or nothing of it.

The file is read again now and then and compared by its content: a ConfigMap changes by a symbolic link that is moved, which
neither the time nor the inode of the path tells in every case. It must read the same twice, for an editor may be at work.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Protocol

from sidecar.config import Config, load
from sidecar.observe.telemetry import Telemetry
from sidecar.record.clock import Clock
from sidecar.record.errors import ConfigError
from sidecar.settings.live import changed, is_live

logger = logging.getLogger(__name__)


class Reloadable(Protocol):
    """What settings are given to. `apply` takes those that are live: all of them, or it raises ConfigError and none."""

    telemetry: Telemetry
    clock: Clock

    def apply(self, config: Config) -> None: ...


class Reloader:
    """Reads the settings again and gives them on. `config` are those in effect."""

    def __init__(self, path: Path | None, config: Config, target: Reloadable) -> None:
        self._path = path
        self._target = target
        self._telemetry = target.telemetry
        self._seen = self._read()
        self._waiting: bytes | None = None
        self.config = config
        self._took(config)

    def reload(self) -> str:
        """Read the file and the environment again. What came of it: ok, unchanged, invalid or needs_restart. Never raises."""
        outcome = self._reload()
        self._telemetry.count("rag_sidecar_config_reloads_total", outcome=outcome)
        self._telemetry.set("rag_sidecar_config_refused", outcome in ("invalid", "needs_restart"))
        return outcome

    def look(self) -> str | None:
        """Reload where the file has changed, and has been the same for two looks. What came of it, or None."""
        now = self._read()
        if now == self._seen:
            self._waiting = None
            return None
        if now != self._waiting:
            self._waiting = now
            return None
        self._seen, self._waiting = now, None
        return self.reload()

    async def watch(self, seconds: float) -> None:
        """Look every so often, for ever."""
        while True:
            await asyncio.sleep(seconds)
            self.look()

    def _reload(self) -> str:
        try:
            config = load(self._path)
            paths = changed(self.config, config)
            if not paths:
                logger.info("settings were read again, and nothing has changed")
                return "unchanged"
            dead = [".".join(path) for path in paths if not is_live(path)]
            if dead:
                logger.error("the new settings are refused as a whole: a restart is needed for %s", ", ".join(dead))
                return "needs_restart"
            self._target.apply(config)
        except ConfigError as error:
            logger.error("the new settings are refused as a whole: %s", error)
            return "invalid"
        self._took(config)
        logger.info("new settings are in effect: %s", ", ".join(".".join(path) for path in paths))
        return "ok"

    def _took(self, config: Config) -> None:
        self._telemetry.remove("rag_sidecar_config_info", sha256=fingerprint(self.config))
        self.config = config
        self._telemetry.set("rag_sidecar_config_info", 1, sha256=fingerprint(config))
        self._telemetry.set("rag_sidecar_config_last_reload_success_timestamp_seconds", self._target.clock.now())

    def _read(self) -> bytes | None:
        try:
            return self._path.read_bytes() if self._path else None
        except OSError:
            return b""


def fingerprint(config: Config) -> str:
    """The first twelve digits of the SHA-256 of all settings, their secrets left out."""
    return hashlib.sha256(config.model_dump_json().encode()).hexdigest()[:12]


@contextlib.asynccontextmanager
async def reloading(path: Path | None, config: Config, target: Reloadable) -> AsyncIterator[Reloader]:
    """Reload on SIGHUP and when the file changes, within a block."""
    reloader = Reloader(path, config, target)
    loop = asyncio.get_running_loop()
    hear: Callable[[], object] = reloader.reload
    loop.add_signal_handler(signal.SIGHUP, hear)
    seconds = config.reload.interval_seconds
    watching = asyncio.create_task(reloader.watch(seconds), name="reload") if config.reload.watch else None
    try:
        yield reloader
    finally:
        loop.remove_signal_handler(signal.SIGHUP)
        if watching is not None:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
