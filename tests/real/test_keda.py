"""The ScaledObject that the chart renders is one that KEDA takes: by KEDA's own definition, and by what its scalers read."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
import yaml

from tests.parts import paths
from tests.real import chart

pytestmark = pytest.mark.real

# https://keda.sh/docs/2.18/scalers/prometheus/ and https://keda.sh/docs/2.18/scalers/cpu/: what their triggers read, and what they must have.
READ = {
    "prometheus": {
        "serverAddress", "query", "queryParameters", "threshold", "activationThreshold", "namespace", "customHeaders",
        "ignoreNullValues", "unsafeSsl", "timeout", "authModes", "awsRegion",
    },
    "cpu": {"value", "containerName"},
}  # fmt: skip
NEEDED = {"prometheus": {"serverAddress", "query", "threshold"}, "cpu": {"value"}}


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    definition = yaml.safe_load(paths.find_keda_definition().read_text(encoding="utf-8"))
    (version,) = [one for one in definition["spec"]["versions"] if one["name"] == "v1alpha1"]
    return chart.closed(version["schema"]["openAPIV3Schema"])


@pytest.fixture(scope="module")
def objects() -> list[dict[str, Any]]:
    return chart.objects(chart.render("-f", chart.values_of("keda")))


@pytest.fixture(scope="module")
def scaled(objects: list[dict[str, Any]]) -> dict[str, Any]:
    (found,) = [one for one in objects if one["kind"] == "ScaledObject"]
    return found


def test_it_is_valid_by_kedas_own_definition(schema: dict[str, Any], scaled: dict[str, Any]) -> None:
    jsonschema.validate(scaled, schema)


@pytest.mark.parametrize(
    "wrong",
    [
        {"maxReplicaCount": "12"},
        {"maxReplicas": 12},
        {"triggers": [{"type": "prometheus", "metadata": {"threshold": 1}}]},
        {"advanced": {"horizontalPodAutoscalerConfig": {"behavior": {"scaleDown": {"policies": [{"type": "Pods"}]}}}}},
        {"scaleTargetRef": {}},
    ],
    ids=["a number as text", "a name of the HPA", "text as a number", "half a policy", "no target"],
)
def test_what_keda_would_not_take_is_found(
    schema: dict[str, Any], scaled: dict[str, Any], wrong: dict[str, Any]
) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**scaled, "spec": {**scaled["spec"], **wrong}}, schema)


def test_triggers_say_what_their_scalers_read_and_nothing_else(scaled: dict[str, Any]) -> None:
    for trigger in scaled["spec"]["triggers"]:
        told = set(trigger["metadata"])
        assert NEEDED[trigger["type"]] <= told <= READ[trigger["type"]]
        float(trigger["metadata"].get("threshold", trigger["metadata"].get("value")))
        # What a share of the CPU is taken of; the other scalers know no shares.
        assert trigger.get("metricType", "AverageValue") == (
            "Utilization" if trigger["type"] == "cpu" else "AverageValue"
        )


def test_it_scales_the_deployment_whose_containers_ask_for_the_cpu_that_a_share_is_taken_of(
    objects: list[dict[str, Any]], scaled: dict[str, Any]
) -> None:
    (deployment,) = [one for one in objects if one["kind"] == "Deployment"]
    assert scaled["spec"]["scaleTargetRef"] == {"name": deployment["metadata"]["name"]}
    assert scaled["metadata"]["namespace"] == deployment["metadata"]["namespace"]
    for container in deployment["spec"]["template"]["spec"]["containers"]:
        assert "cpu" in container["resources"]["requests"]
    assert 1 <= scaled["spec"]["minReplicaCount"] <= scaled["spec"]["maxReplicaCount"]
