-- After clickhouse.sql: ClickHouse reads the results topic itself, at least once. For a login see kafka_security_protocol and its like.

CREATE TABLE IF NOT EXISTS rag_results_queue (body String)
ENGINE = Kafka
SETTINGS
    kafka_broker_list = 'kafka:9092',
    kafka_topic_list = 'rag_results',
    kafka_group_name = 'clickhouse-rag-results',
    kafka_format = 'RawBLOB';  -- A message is a row.

CREATE MATERIALIZED VIEW IF NOT EXISTS rag_results_queue_keep TO rag_results_in AS
SELECT body FROM rag_results_queue;
