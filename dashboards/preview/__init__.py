"""Pictures of the dashboards, drawn from a real Prometheus, so that a reader sees what they get without Grafana."""
