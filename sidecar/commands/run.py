"""`rag-sidecar run`: the service."""

from __future__ import annotations

import asyncio

from sidecar import config
from sidecar.app import App
from sidecar.commands.common import ConfigOption, new_cli
from sidecar.observe.logs import set_up_logs, watch_loop

cli = new_cli()


@cli.command()
def run(config_file: ConfigOption = None) -> None:
    """Consume traces, score them and export the numbers, until SIGTERM."""

    async def serve() -> None:
        settings = config.load(config_file)
        set_up_logs(settings.log)
        watch_loop(asyncio.get_running_loop())
        async with App(settings) as app:
            app.stop_on_signals()
            await app.run()

    asyncio.run(serve())
