"""Real parts for the tests: how each is fetched (`python -m tests.parts`), found and started.

paths.py        where the parts are
fetch.py        fetches what is missing into the cache; fetching.py how, jars.py and packages.py what by Maven and by pip or apt
process.py      one server process: start, wait, stop by its own id
broker.py       what a test may ask of any broker
kafka.py        Apache Kafka, one KRaft node; with `secure=True` also SASL over TLS and mTLS listeners
login_proxy.py  a login in front of the mock cluster, which has none
mock_kafka.py   librdkafka's mock cluster: hermetic and ready at once
collector.py    the OpenTelemetry Collector with its Kafka exporter
postgres.py     Postgres
clickhouse.py   ClickHouse, as a library in a process of its own
connect.py      Kafka Connect, one worker, with Debezium's JDBC connector
prometheus.py   Prometheus that scrapes what it is told to
"""
