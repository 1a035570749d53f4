from sidecar.api import score as score
from sidecar.frames import FrameScorer as FrameScorer

__version__: str
