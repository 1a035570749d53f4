from sidecar.api import score as score

__version__: str
