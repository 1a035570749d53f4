"""Local models and what asks them; the judge.

onnxruntime, from 1.29 on, writes a device id and sends what it counts to its maker unless this variable is set before it is imported.
Nothing leaves the process but what someone asked for.
"""

import os

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
