"""Clients of other services, as both the exporters and the sidecar need them. The ground floor: nothing here imports ours."""
