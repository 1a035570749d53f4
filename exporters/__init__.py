"""What leaves the house. Nothing in this package imports from `sidecar`."""
