"""What the receiver must do on any broker: one suite, run on the mock cluster (tests/unit) and on Apache Kafka (tests/real)."""
