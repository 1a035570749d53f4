-- Three questions to the results of RAG Sidecar in results.jsonl, for DuckDB 1.3 or newer: duckdb < duckdb.sql
-- Of two results with one id the more complete is asked, of equal ones the later (docs/results.md).

SET VARIABLE day = make_timestamp(epoch_us(now()))::DATE - 1;  -- Yesterday, UTC.

CREATE OR REPLACE TEMP MACRO evaluation(evaluations, name) AS
    list_filter(evaluations, lambda one: one.evaluator = name)[1];

-- A bound of a share seen in n answers (Wilson, 95 %): sign -1 is the lower one, 1 the upper one.
CREATE OR REPLACE TEMP MACRO wilson(share, n, sign) AS
    (n * share + 1.9208 + sign * 1.96 * sqrt(n * share * (1 - share) + 0.9604)) / (n + 3.8416);

CREATE OR REPLACE TEMP VIEW results AS
WITH lines AS (
    SELECT *, row_number() OVER () AS line
    FROM read_json('results.jsonl', format = 'newline_delimited', columns = {
        id: 'VARCHAR', trace_id: 'VARCHAR', service: 'VARCHAR', model: 'VARCHAR', variant: 'VARCHAR', "timestamp": 'TIMESTAMP',
        verdict: 'VARCHAR', inclusion_probability: 'DOUBLE', upstream_adjusted_count: 'DOUBLE',
        trace: 'STRUCT(root_seen BOOLEAN, spans BIGINT)', durations: 'STRUCT(total DOUBLE)', cost_usd: 'DOUBLE',
        evaluations: 'STRUCT(evaluator VARCHAR, outcome VARCHAR, score DOUBLE, label VARCHAR, inclusion_probability DOUBLE,
                             claims STRUCT(supported BOOLEAN)[])[]'
    })
), kept AS (
    SELECT
        * EXCLUDE (line),
        evaluation(evaluations, 'groundedness') AS here,
        evaluation(evaluations, 'groundedness_judge') AS judge
    FROM lines
    WHERE id IS NOT NULL  -- A line that `rag-sidecar score` could not read has none.
    QUALIFY line = first(line) OVER (
        PARTITION BY id
        ORDER BY coalesce(trace.root_seen, false) DESC, coalesce(trace.spans, 0) DESC,
                 len(list_filter(evaluations, lambda one: one.outcome = 'scored')) DESC, line DESC)
)
SELECT
    *,
    -- How many requests of the stream it stands for; a verdict of the judge alone has the judge's probability.
    coalesce(upstream_adjusted_count, 1)
        / coalesce(CASE WHEN here.label IS NULL THEN judge ELSE here END.inclusion_probability, inclusion_probability) AS weight
FROM kept;

-- 1. The worst answers of that day: hallucinated ones first, then by score. `rag-sidecar results show ID` shows one of them.
SELECT
    id, service, model, verdict,
    coalesce(here.score, judge.score, evaluation(evaluations, 'faithfulness').score) AS score,
    len(list_filter(evaluation(evaluations, 'faithfulness').claims, lambda one: NOT one.supported)) AS unsupported_claims
FROM results
WHERE "timestamp"::DATE = getvariable('day') AND score IS NOT NULL
ORDER BY coalesce(verdict = 'hallucinated', false) DESC, score, "timestamp" DESC
LIMIT 20;

-- 2. The share of hallucinated answers by service and model, with its interval. Abstentions are neither.
SELECT
    service, model,
    count(*) AS answers,
    sum(weight) AS requests,  -- That these answers stand for.
    sum(weight * (verdict = 'hallucinated')::INT) / sum(weight) AS share,
    wilson(share, sum(weight) ^ 2 / sum(weight ^ 2), -1) AS lower,
    wilson(share, sum(weight) ^ 2 / sum(weight ^ 2), 1) AS upper
FROM results
WHERE verdict IN ('grounded', 'hallucinated')
GROUP BY service, model
ORDER BY lower DESC;

-- 3. How often local verdict and judge agree, where both gave one, and beyond chance (Cohen's kappa: 0 none, 1 all). Each answer stands for
-- those that were drawn for the judge with its probability.
WITH pairs AS (
    SELECT
        service, here.label = 'hallucinated' AS ours, judge.label = 'hallucinated' AS theirs,
        coalesce(upstream_adjusted_count, 1) / coalesce(judge.inclusion_probability, inclusion_probability) AS weight
    FROM results
    WHERE here.label IN ('grounded', 'hallucinated') AND judge.label IN ('grounded', 'hallucinated')
), shares AS (
    SELECT
        service,
        count(*) AS answers,
        count(*) FILTER (ours AND NOT theirs) AS local_alone_alarms,
        count(*) FILTER (theirs AND NOT ours) AS judge_alone_alarms,
        sum(weight) ^ 2 / sum(weight ^ 2) AS n,
        sum(weight * (ours = theirs)::INT) / sum(weight) AS agreement,
        sum(weight * ours::INT) / sum(weight) AS a,
        sum(weight * theirs::INT) / sum(weight) AS b
    FROM pairs
    GROUP BY service
)
SELECT
    service, answers, local_alone_alarms, judge_alone_alarms,
    agreement, wilson(agreement, n, -1) AS lower, wilson(agreement, n, 1) AS upper,
    (agreement - (a * b + (1 - a) * (1 - b))) / nullif(1 - (a * b + (1 - a) * (1 - b)), 0) AS kappa
FROM shares
ORDER BY agreement;
