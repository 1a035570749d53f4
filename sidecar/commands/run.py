"""`rag-sidecar run`: the service."""

from __future__ import annotations

import asyncio

from sidecar import config
from sidecar.app import App
from sidecar.commands.common import ConfigOption, new_cli
from sidecar.observe.logs import set_up_logs, watch_loop
from sidecar.reload import reloading

cli = new_cli()


@cli.command()
def run(config_file: ConfigOption = None) -> None:
    """Consume traces, score them and export the numbers, until SIGTERM.

    SIGHUP, or a change of the file, has the settings read again; docs/configuration.md marks those that then take effect.
    """

    async def serve() -> None:
        settings = config.load(config_file)
        set_up_logs(settings.log)
        watch_loop(asyncio.get_running_loop())
        async with App(settings) as app:
            app.stop_on_signals()
            async with reloading(config_file, settings, app):
                await app.run()

    asyncio.run(serve())
