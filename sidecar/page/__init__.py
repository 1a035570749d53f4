"""The status page at `/` of the admin port: what is known of each service, the answers behind the numbers, and labels from there.

`watch` is given every result; `numbers` adds them up, `shelf` keeps some answers, `routes` is the HTTP side, `static` what a browser is sent.
"""

from sidecar.page.settings import StatusPageConfig
from sidecar.page.watch import Watch

__all__ = ["StatusPageConfig", "Watch"]
