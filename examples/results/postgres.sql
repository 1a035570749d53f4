-- Results of RAG Sidecar in Postgres, version 12 or newer. Of two results with one id the more complete stays (docs/results.md).
-- Write each result as it is, one JSON object a row, into rag_results_in: it ends in rag_results, and rag_results_in stays empty.

CREATE TABLE IF NOT EXISTS rag_results (
    id text PRIMARY KEY,
    root_seen boolean NOT NULL,
    spans bigint NOT NULL,
    scored integer NOT NULL,
    "timestamp" timestamptz,
    service text NOT NULL,
    model text,
    variant text,
    outcome text NOT NULL,
    verdict text,
    inclusion_probability double precision NOT NULL,
    body jsonb NOT NULL
);
CREATE INDEX IF NOT EXISTS rag_results_by_time ON rag_results (service, "timestamp");

CREATE TABLE IF NOT EXISTS rag_results_in (body text NOT NULL);

CREATE OR REPLACE FUNCTION rag_results_keep() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    -- jsonb holds no character 0, which a text may: it is left out, but not where the backslash is itself escaped.
    result jsonb := regexp_replace(NEW.body, '(?<!\\)((?:\\\\)*)\\u0000', '\1', 'g');
BEGIN
    IF result ->> 'id' IS NULL THEN  -- A line that `rag-sidecar score` could not read: it only keeps its place.
        RETURN NULL;
    END IF;
    INSERT INTO rag_results AS kept
    SELECT
        result ->> 'id',
        coalesce((result #>> '{trace,root_seen}')::boolean, false),
        coalesce((result #>> '{trace,spans}')::bigint, 0),
        (SELECT count(*) FROM jsonb_array_elements(result -> 'evaluations') AS one WHERE one ->> 'outcome' = 'scored'),
        (result ->> 'timestamp')::timestamptz,
        result ->> 'service',
        result ->> 'model',
        result ->> 'variant',
        result ->> 'outcome',
        result ->> 'verdict',
        (result ->> 'inclusion_probability')::double precision,
        result
    ON CONFLICT (id) DO UPDATE SET
        root_seen = excluded.root_seen,
        spans = excluded.spans,
        scored = excluded.scored,
        "timestamp" = excluded."timestamp",
        service = excluded.service,
        model = excluded.model,
        variant = excluded.variant,
        outcome = excluded.outcome,
        verdict = excluded.verdict,
        inclusion_probability = excluded.inclusion_probability,
        body = excluded.body
    WHERE (excluded.root_seen, excluded.spans, excluded.scored) >= (kept.root_seen, kept.spans, kept.scored);
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS rag_results_keep ON rag_results_in;
CREATE TRIGGER rag_results_keep BEFORE INSERT ON rag_results_in FOR EACH ROW EXECUTE FUNCTION rag_results_keep();
