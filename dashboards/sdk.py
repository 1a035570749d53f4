"""What is used of grafana-foundation-sdk, imported in one place."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    # The SDK advises the v2 schema, which file provisioning of the Grafana versions in use cannot read.
    warnings.simplefilter("ignore", DeprecationWarning)
    from grafana_foundation_sdk.builders import common as build_common
    from grafana_foundation_sdk.builders import dashboard as build
    from grafana_foundation_sdk.builders import heatmap, prometheus, stat, table, timeseries
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.models import common as common_models
    from grafana_foundation_sdk.models import dashboard as models
    from grafana_foundation_sdk.models.heatmap import HeatmapColorMode
    from grafana_foundation_sdk.models.prometheus import PromQueryFormat

__all__ = [
    "HeatmapColorMode",
    "JSONEncoder",
    "PromQueryFormat",
    "build",
    "build_common",
    "common_models",
    "heatmap",
    "models",
    "prometheus",
    "stat",
    "table",
    "timeseries",
]
