"""The examples under examples/results: of two results of one request each store keeps the more complete, by file and from the topic."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.kafka.harness import fresh
from tests.parts.broker import Message, produce
from tests.parts.clickhouse import ClickHouse
from tests.parts.connect import Connect
from tests.parts.kafka import KafkaBroker
from tests.parts.postgres import Postgres
from tests.unit.ops.stored import CASES, EXAMPLES, kept, line, many, told

pytestmark = [pytest.mark.real, pytest.mark.alone]
CONNECTOR: dict[str, str] = json.loads((EXAMPLES / "connect-postgres.json").read_text(encoding="utf-8"))
README = (EXAMPLES / "README.md").read_text(encoding="utf-8")
[COPY] = re.findall(r'psql -d rag -c "(\\copy .*)"', README)
[DELETE] = re.findall(r'psql -d rag -c "(delete .*)"', README)
[DELETE_IN_CLICKHOUSE] = re.findall(r'clickhouse-client --query "(DELETE .*)"', README)
ERASED = "4bf92f3577b34da6a3ce929d0e0e4736"
EACH = [
    *(pytest.param(lines, id=case) for case, lines in CASES),
    *(pytest.param(many(n), id=f"many {n}") for n in (1, 2)),
]


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with Postgres() as one:
        one.psql("-f", EXAMPLES / "postgres.sql")
        yield one


@pytest.fixture(scope="module")
def clickhouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClickHouse]:
    with ClickHouse(tmp_path_factory.mktemp("clickhouse")) as one:
        one.query((EXAMPLES / "clickhouse.sql").read_text(encoding="utf-8"))
        yield one


@pytest.fixture(scope="module")
def broker() -> Iterator[KafkaBroker]:
    with KafkaBroker() as one:
        yield one


def in_postgres(postgres: Postgres) -> dict[str, tuple[object, ...]]:
    """What rag_results holds, by id, as `told` has it."""
    fields = "root_seen, spans, scored, body #> '{durations,total}', verdict, service"
    rows = postgres.psql("-c", f"select json_build_array(id, {fields}) from rag_results").splitlines()
    return {name: ((root, spans, scored), *rest) for name, root, spans, scored, *rest in map(json.loads, rows)}


def in_clickhouse(clickhouse: ClickHouse) -> dict[str, tuple[object, ...]]:
    parts = "bitShiftRight(completeness, 48), bitAnd(bitShiftRight(completeness, 16), 4294967295), bitAnd(completeness, 65535)"
    fields = f"{parts}, JSONExtractFloat(body, 'durations', 'total'), verdict, service"
    rows = clickhouse.query(f"select id, {fields} from rag_results final")
    return {name: ((bool(int(root)), int(spans), int(scored)), *rest) for name, root, spans, scored, *rest in rows}


def wanted(lines: Sequence[str]) -> dict[str, tuple[object, ...]]:
    return {name: told(record) for name, record in kept(lines).items()}


def without_zeros(rows: dict[str, tuple[object, ...]]) -> dict[str, tuple[object, ...]]:
    """jsonb holds no character 0."""
    return {name: (*rest, str(service).replace("\0", "")) for name, (*rest, service) in rows.items()}


def written(folder: Path, lines: Sequence[str]) -> Path:
    (folder / "results.jsonl").write_text("".join(one + "\n" for one in lines), encoding="utf-8")
    return folder


@pytest.mark.parametrize("lines", EACH)
def test_postgres_keeps_the_more_complete_of_a_file(postgres: Postgres, lines: Sequence[str], tmp_path: Path) -> None:
    postgres.psql("-c", "truncate rag_results")
    postgres.psql("-c", COPY, cwd=written(tmp_path, lines))
    assert in_postgres(postgres) == without_zeros(wanted(lines))
    assert postgres.psql("-c", "select count(*) from rag_results_in").strip() == "0"


@pytest.mark.parametrize("lines", EACH)
def test_postgres_keeps_the_more_complete_of_single_writes(
    postgres: Postgres, lines: Sequence[str], tmp_path: Path
) -> None:
    postgres.psql("-c", "truncate rag_results")
    for one in lines[:20]:
        postgres.psql("-c", COPY, cwd=written(tmp_path, [one]))
    assert in_postgres(postgres) == without_zeros(wanted(lines[:20]))


def test_the_statements_may_run_again_over_what_is_there(postgres: Postgres, tmp_path: Path) -> None:
    postgres.psql("-c", "truncate rag_results")
    postgres.psql("-c", COPY, cwd=written(tmp_path, many(3)))
    before = in_postgres(postgres)
    postgres.psql("-f", EXAMPLES / "postgres.sql")
    assert in_postgres(postgres) == before == wanted(many(3))


@pytest.mark.parametrize("apart", [False, True], ids=["in one write", "in a write each"])
@pytest.mark.parametrize("lines", EACH)
def test_clickhouse_keeps_the_more_complete(
    clickhouse: ClickHouse, lines: Sequence[str], apart: bool, tmp_path: Path
) -> None:
    clickhouse.query("truncate table rag_results")
    file = written(tmp_path, lines) / "results.jsonl"
    for one in lines[:20] if apart else (None,):
        if one is not None:
            written(tmp_path, [one])
        clickhouse.query(f"INSERT INTO rag_results_in FROM INFILE '{file}' FORMAT LineAsString")
    expected = wanted(lines[:20] if apart else lines)
    assert in_clickhouse(clickhouse) == expected
    clickhouse.query("optimize table rag_results final")
    [[count]] = clickhouse.query("select count() from rag_results")
    assert int(count) == len(expected)


def of_two_traces() -> tuple[str, str]:
    """Two results, the second of the trace that the page erases."""
    by_id = {json.loads(one)["id"]: json.loads(one) for one in many(2)}
    first, second, *_ = by_id.values()
    return json.dumps(first), json.dumps({**second, "trace_id": ERASED})


def test_what_is_erased_is_deleted_by_its_trace(postgres: Postgres, clickhouse: ClickHouse, tmp_path: Path) -> None:
    lines = of_two_traces()
    file = written(tmp_path, lines) / "results.jsonl"
    postgres.psql("-c", "truncate rag_results")
    postgres.psql("-c", COPY, cwd=tmp_path)
    clickhouse.query("truncate table rag_results")
    clickhouse.query(f"INSERT INTO rag_results_in FROM INFILE '{file}' FORMAT LineAsString")
    assert in_postgres(postgres) == in_clickhouse(clickhouse) == wanted(lines)
    postgres.psql("-c", DELETE)
    clickhouse.query(DELETE_IN_CLICKHOUSE)
    assert in_postgres(postgres) == in_clickhouse(clickhouse) == wanted(lines[:1])


def of_the_topic(text: str) -> Message:
    """As the results topic has it: keyed by trace."""
    return Message(text.encode(), key=str(json.loads(text)["trace_id"]).encode())


def until(found: Callable[[], object], expected: object, *, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while found() != expected and time.monotonic() < deadline:
        time.sleep(0.3)
    assert found() == expected


def test_the_connector_knows_every_setting_and_brings_the_topic_into_postgres(
    postgres: Postgres, broker: KafkaBroker
) -> None:
    postgres.psql("-c", "truncate rag_results")
    topic, lines = fresh("results"), [*many(4), line(50, service='s\x00 "\\'), line(51)]
    broker.create_topic(topic)
    produce(broker, topic, map(of_the_topic, lines))
    settings = {**CONNECTOR, "topics": topic, "connection.url": postgres.jdbc_url}
    with Connect(broker.bootstrap_servers) as connect:
        assert connect.errors(CONNECTOR) == {}
        assert connect.errors({**CONNECTOR, "tasks.max": "many", "no.such": "1"}).keys() == {"", "tasks.max"}
        connect.run("rag-results", settings)
        until(lambda: in_postgres(postgres), without_zeros(wanted(lines)))
        # Delivered again, and poorer: nothing changes. The last one shows that all before it were seen.
        again = [line(51, spans=1, time=9), *lines, line(52)]
        produce(broker, topic, map(of_the_topic, again))
        expected = {
            name: (*rest, str(service).replace("\0", "")) for name, (*rest, service) in wanted([*lines, *again]).items()
        }
        until(lambda: in_postgres(postgres), expected)
        assert connect.states("rag-results") == ["RUNNING", "RUNNING"]


def test_clickhouse_reads_the_topic(clickhouse: ClickHouse, broker: KafkaBroker) -> None:
    """As a library it has no readers in the background: its table of the topic is asked by hand for what the view would bring."""
    clickhouse.query("truncate table rag_results")
    topic, lines = fresh("results"), many(5)
    broker.create_topic(topic)
    produce(broker, topic, map(of_the_topic, lines))
    statements = (EXAMPLES / "clickhouse-kafka.sql").read_text(encoding="utf-8")
    statements = statements.replace("'kafka:9092'", f"'{broker.bootstrap_servers}'")
    table, view = statements.replace("'rag_results'", f"'{topic}'").split("CREATE MATERIALIZED VIEW")
    assert topic in table
    with pytest.raises(RuntimeError, match="Shutdown was called"):
        clickhouse.query(table)
    into, read = view.split(" TO ")[1].split(" AS")
    ask = f"INSERT INTO {into} {read.rstrip(chr(10) + ';')} SETTINGS stream_like_engine_allow_direct_select = 1"

    def found() -> object:
        clickhouse.query(ask)
        return in_clickhouse(clickhouse)

    until(found, wanted(lines))
