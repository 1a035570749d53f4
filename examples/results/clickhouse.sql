-- Results of RAG Sidecar in ClickHouse. Of two results with one id the more complete stays (docs/results.md): ask `rag_results FINAL`,
-- since rows are merged some time after they are written.
-- Write each result as it is, one JSON object a row, into rag_results_in: it ends in rag_results, and rag_results_in keeps nothing.

CREATE TABLE IF NOT EXISTS rag_results
(
    id String,
    completeness UInt64,  -- The greater one stays, of two equal ones the later.
    timestamp Nullable(DateTime64(3, 'UTC')),
    service LowCardinality(String),
    model LowCardinality(Nullable(String)),
    variant LowCardinality(Nullable(String)),
    outcome LowCardinality(String),
    verdict LowCardinality(Nullable(String)),
    inclusion_probability Float64,
    body String CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree(completeness)
ORDER BY id;  -- No PARTITION BY time: results of one id in two partitions never meet.

CREATE TABLE IF NOT EXISTS rag_results_in (body String) ENGINE = Null;

CREATE MATERIALIZED VIEW IF NOT EXISTS rag_results_keep TO rag_results AS
SELECT
    JSONExtractString(body, 'id') AS id,
    -- Whether the root was seen, then spans, then evaluations that are scored.
    bitShiftLeft(toUInt64(JSONExtractBool(body, 'trace', 'root_seen')), 48)
        + bitShiftLeft(toUInt64(JSONExtract(body, 'trace', 'spans', 'UInt32')), 16)
        + arrayCount(one -> JSONExtractString(one, 'outcome') = 'scored', JSONExtractArrayRaw(body, 'evaluations')) AS completeness,
    parseDateTime64BestEffortOrNull(JSONExtractString(body, 'timestamp'), 3, 'UTC') AS timestamp,
    JSONExtractString(body, 'service') AS service,
    JSONExtract(body, 'model', 'Nullable(String)') AS model,
    JSONExtract(body, 'variant', 'Nullable(String)') AS variant,
    JSONExtractString(body, 'outcome') AS outcome,
    JSONExtract(body, 'verdict', 'Nullable(String)') AS verdict,
    JSONExtractFloat(body, 'inclusion_probability') AS inclusion_probability,
    body
FROM rag_results_in
WHERE id != '';  -- A line that `rag-sidecar score` could not read has none.
