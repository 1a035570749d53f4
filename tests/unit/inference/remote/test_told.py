"""What a server says of its model: the version that results name, and the types of what goes in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sidecar.observe.telemetry import Telemetry
from tests.unit.inference.own.made import MADE, copied
from tests.unit.inference.remote.servers import Server, graph, serving
from tests.unit.inference.remote.test_remote import CLAIMS, DOCUMENTS, running, settle

V2 = "/v2/models/far"
LONG = "v" * 200


@pytest.mark.parametrize(
    ("settings", "server", "version"),
    [
        ({}, {}, "remote"),
        ({}, {"version": "7"}, "7"),
        ({}, {"about": {V2: {"versions": ["3"]}}}, "3"),
        ({}, {"about": {V2: {"versions": ["1", "2"]}}}, "1,2"),
        ({}, {"about": {V2: {"versions": []}}}, "remote"),
        ({}, {"about": {V2: {"versions": ["1", "2"]}}, "version": "2"}, "2"),
        ({}, {"about": {V2: ["no", "map"]}}, "remote"),
        ({}, {"version": f"a\n{LONG}"}, f"a {LONG}"[:64]),
        ({"version": "5"}, {"version": "7"}, "5"),
        ({"protocol": "tei"}, {"about": {"/info": {"model_sha": "0123456789abcdef", "version": "1.7"}}}, "0123456789ab"),
        ({"protocol": "tei"}, {"about": {"/info": {"model_sha": None, "version": "1.7.2"}}}, "tei-1.7.2"),
        ({"protocol": "tei"}, {"about": {"/info": {"model_sha": 4}}}, "remote"),
    ],
)  # fmt: skip
async def test_the_version_is_what_the_server_says(
    settings: dict[str, Any], server: dict[str, Any], version: str
) -> None:
    with serving(Server(**server)) as far:
        async with running({"remote": far.url, **settings}) as one:
            assert one.away() == []
            assert one.models.grounder.identity.version == version


@pytest.mark.parametrize("role", ["grounding", "relevance", "embedding"])
async def test_the_series_of_models_names_the_version(role: str) -> None:
    telemetry = Telemetry()
    with serving(Server(version="7")) as far:
        async with running({"remote": far.url}, role=role, telemetry=telemetry) as one:
            assert dict(one.infos())[role].version == "7"
            assert telemetry.value("rag_sidecar_model_info", role=role, version="7") == 1


async def test_the_version_of_a_server_that_comes_late_is_named_from_then_on_and_stays() -> None:
    telemetry = Telemetry()
    with serving(Server(version="1", status=503)) as server:
        async with running({"remote": server.url, "retries": 0}, telemetry=telemetry) as one:
            server.status = 200
            await settle(lambda: telemetry.value("rag_sidecar_model_info", role="grounding", version="1") == 1)
            server.version = "2"
            await one.models.grounder.support(CLAIMS, DOCUMENTS)
            assert one.models.grounder.identity.version == "1"


async def test_a_calibration_of_a_model_on_a_server_is_part_of_its_version(tmp_path: Path) -> None:
    folder = copied("bert-nli", tmp_path)
    (folder / "card.json").write_text(json.dumps({"calibration": {"slope": 2, "intercept": 0}}))
    with serving(Server(graph=graph(folder), version="4")) as server:
        for more, start in (({}, "4+"), ({"version": "5"}, "5+")):
            async with running({"remote": server.url, "tokenizer": str(folder), **more}) as one:
                version = one.models.grounder.identity.version
                assert (version[:2], len(version)) == (start, 10)


@pytest.mark.parametrize(
    ("told", "sent"), [("INT32", "INT32"), ("INT64", "INT64"), ("BYTES", "INT64"), (None, "INT64")]
)
@pytest.mark.parametrize(("role", "name"), [("grounding", "bert-nli"), ("embedding", "bert-embedding")])
async def test_tokens_are_sent_as_the_type_that_the_server_wants(
    role: str, name: str, told: str | None, sent: str
) -> None:
    inputs = [{"name": one, "datatype": told, "shape": [-1, -1]} for one in ("input_ids", "attention_mask")]
    about = {"/v2/models/far/versions/3": {"inputs": inputs}} if told else {}
    with serving(Server(graph=graph(MADE / name), about=about)) as server:
        async with running({"remote": server.url, "tokenizer": str(MADE / name), "version": "3"}, role=role) as one:
            assert one.away() == []
        given = {each["name"]: each["datatype"] for body in server.bodies for each in body["inputs"]}
    assert given == {"input_ids": sent, "attention_mask": sent, "token_type_ids": "INT64"}
