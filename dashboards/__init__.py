"""Dashboards, recording rules and alerts, written once in Python and generated as the JSON and YAML beside this file."""
