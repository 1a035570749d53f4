"""Releases in a real API server of Kubernetes: validated and admitted by it, upgraded, rolled back, removed, and pods held to `restricted`. Nothing runs there.

Long, since the server has to be built first (`python -m tests.parts control-plane`, about ten minutes on two cores); not in CI.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.parts import paths
from tests.parts.control_plane import ControlPlane
from tests.real import chart

pytestmark = [pytest.mark.real, pytest.mark.long]

RELEASE = "rag-sidecar"


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    definitions = [paths.find_operator_definition(plural) for plural in ("podmonitors", "prometheusrules")]
    with ControlPlane() as running:
        for path in (*definitions, paths.find_keda_definition()):
            running.define(yaml.safe_load(path.read_text(encoding="utf-8")))
        # Cluster-wide, as the production example asks for it.
        urgent = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "monitoring"}}
        assert running.create({**urgent, "value": 1000}).status == 201
        yield running


def helm(plane: ControlPlane, namespace: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Helm on the server, in a namespace."""
    return chart.helm(*words, "--namespace", namespace, "--kubeconfig", plane.kubeconfig)


def done(ran: subprocess.CompletedProcess[str]) -> str:
    """What Helm said, where it said nothing to complain of: the server's warnings are among its errors."""
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout + ran.stderr
    return ran.stdout


def rendered(namespace: str, *words: str | Path) -> list[dict[str, Any]]:
    """The objects of a release but for the pod of `helm test`, which comes later."""
    found = [one for one in chart.objects(chart.render(*words, "--namespace", namespace)) if one["kind"] != "Pod"]
    for one in found:
        # Helm puts what says nothing of it into that of the release.
        one["metadata"].setdefault("namespace", namespace)
    return found


def stored(plane: ControlPlane, wanted: dict[str, Any]) -> dict[str, Any]:
    """The object as the server has it."""
    answer = plane.get(wanted)
    assert answer.status == 200, answer
    return answer.body


def lost(wanted: Any, found: Any, place: str = "") -> list[str]:
    """Where something that was asked for is not what is stored. The server adds defaults, and writes quantities its own way."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return [fault for key, one in wanted.items() for fault in lost(one, found.get(key), f"{place}.{key}")]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = enumerate(zip(wanted, found, strict=True))
        return [fault for number, (one, other) in pairs for fault in lost(one, other, f"{place}[{number}]")]
    return [] if wanted == found or (wanted in ({}, [], None, "") and not found) else [f"{place}: {wanted} != {found}"]


@pytest.mark.parametrize("case", chart.CASES)
def test_an_example_is_installed_upgraded_rolled_back_and_removed_without_a_warning(
    plane: ControlPlane, case: str
) -> None:
    namespace, values = f"life-{case}", chart.values_of(case)
    plane.create_namespace(namespace)
    done(helm(plane, namespace, "install", RELEASE, ".", "-f", values))
    first = rendered(namespace, "-f", values)
    assert [fault for one in first for fault in lost(one, stored(plane, one))] == []
    changed: list[str | Path] = ["-f", values, "--set-json", "config.sample.rate=0.25,terminationGracePeriodSeconds=90"]
    done(helm(plane, namespace, "upgrade", RELEASE, ".", *changed))
    second = rendered(namespace, *changed)
    assert first != second
    assert [fault for one in second for fault in lost(one, stored(plane, one))] == []
    done(helm(plane, namespace, "rollback", RELEASE, "1"))
    assert [fault for one in first for fault in lost(one, stored(plane, one))] == []
    done(helm(plane, namespace, "uninstall", RELEASE))
    assert [one["kind"] for one in first if plane.get(one).status != 404] == []


@pytest.mark.parametrize("case", chart.CASES)
def test_pods_of_every_template_are_let_into_a_restricted_namespace(plane: ControlPlane, case: str) -> None:
    namespace = f"pods-{case}"
    plane.create_namespace(namespace)
    found = chart.objects(chart.render("-f", chart.values_of(case), "--namespace", namespace))
    (account,) = [one for one in found if one["kind"] == "ServiceAccount"]
    assert plane.create(account).status == 201
    pods = [one for one in found if one["kind"] == "Pod"]
    pods += [pod_of(one, namespace) for one in found if one["kind"] == "Deployment"]
    for pod in pods:
        answer = plane.create(pod)
        assert (answer.status, answer.warnings) == (201, ()), answer


def pod_of(deployment: dict[str, Any], namespace: str) -> dict[str, Any]:
    """The pod that a Deployment's ReplicaSet would make."""
    template = deployment["spec"]["template"]
    metadata = {**template["metadata"], "name": f"{deployment['metadata']['name']}-0", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]}


def test_a_service_with_the_sidecar_beside_it_is_let_in_too(plane: ControlPlane) -> None:
    plane.create_namespace("apps")
    text = (chart.EXAMPLES / "native-sidecar/deployment.yaml").read_text(encoding="utf-8")
    for one in chart.objects(text):
        one["metadata"]["namespace"] = "apps"
        answer = plane.create(one)
        assert (answer.status, answer.warnings) == (201, ()), answer
        if one["kind"] == "Deployment":
            answer = plane.create(pod_of(one, "apps"))
            assert (answer.status, answer.warnings) == (201, ()), answer


def test_a_pod_with_more_rights_is_kept_out_and_its_template_warned_of(plane: ControlPlane) -> None:
    plane.create_namespace("strict")
    found = chart.objects(chart.render("--namespace", "strict"))
    (deployment,) = [one for one in found if one["kind"] == "Deployment"]
    (account,) = [one for one in found if one["kind"] == "ServiceAccount"]
    assert plane.create(account).status == 201
    del deployment["spec"]["template"]["spec"]["containers"][0]["securityContext"]["allowPrivilegeEscalation"]
    warned = plane.create(deployment)
    assert warned.status == 201
    assert "would violate PodSecurity" in warned.warnings[0]
    refused = plane.create(pod_of(deployment, "strict"))
    assert refused.status == 403
    assert "allowPrivilegeEscalation != false" in refused.body["message"]


def test_a_field_that_the_server_does_not_know_is_heard_of_and_a_wrong_one_refused(plane: ControlPlane) -> None:
    plane.create_namespace("wrong")
    unknown = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"dta":{}}'
    ran = helm(plane, "wrong", "install", "unknown", ".", "--set-json", f"extraManifests=[{unknown}]")
    assert re.search(r"Warning: unknown field .*dta", ran.stderr)
    wrong = '{"kind":"Service","apiVersion":"v1","metadata":{"name":"a"},"spec":{"ports":[{"port":70000}]}}'
    ran = helm(plane, "wrong", "install", "wrong", ".", "--set-json", f"extraManifests=[{wrong}]")
    assert ran.returncode == 1
    assert "must be between 1 and 65535" in ran.stderr


def test_an_upgrade_leaves_the_number_of_pods_to_the_autoscaler(plane: ControlPlane) -> None:
    plane.create_namespace("scaled")
    values: list[str | Path] = ["-f", chart.values_of("hpa")]
    done(helm(plane, "scaled", "install", RELEASE, ".", *values))
    (deployment,) = [one for one in rendered("scaled", *values) if one["kind"] == "Deployment"]
    scale = f"/apis/apps/v1/namespaces/scaled/deployments/{deployment['metadata']['name']}/scale"
    merge = "application/merge-patch+json"
    assert plane.ask("PATCH", scale, {"spec": {"replicas": 5}}, kind=merge).status == 200
    done(helm(plane, "scaled", "upgrade", RELEASE, ".", *values, "--set-json", "config.sample.rate=0.5"))
    assert stored(plane, deployment)["spec"]["replicas"] == 5


def test_autoscaling_that_is_switched_on_begins_with_one_pod_as_the_charts_page_says(plane: ControlPlane) -> None:
    plane.create_namespace("switched")
    done(helm(plane, "switched", "install", RELEASE, ".", "--set", "replicaCount=4"))
    (deployment,) = [one for one in rendered("switched") if one["kind"] == "Deployment"]
    assert stored(plane, deployment)["spec"]["replicas"] == 4
    done(helm(plane, "switched", "upgrade", RELEASE, ".", "-f", chart.values_of("hpa")))
    assert stored(plane, deployment)["spec"]["replicas"] == 1
