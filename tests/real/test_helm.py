"""The chart lints, renders to valid Kubernetes objects that run without privileges, and refuses values that nobody knows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatchcase
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, Protocol
from unittest import mock

import jsonschema
import kubernetes_validate
import pytest
import yaml

from dashboards import generate
from sidecar import config
from sidecar.pipeline import PipelineConfig
from sidecar.probe.settings import load_probe
from sidecar.settings.live import LIVE
from tests.parts import paths
from tests.real import chart

pytestmark = pytest.mark.real
PRODUCTION = chart.values_of("production")
TLS = chart.values_of("tls")
# By the definitions of those whose controllers read them, and not by Kubernetes.
CUSTOM = {"PodMonitor": "podmonitors", "PrometheusRule": "prometheusrules", "ScaledObject": None}


@pytest.fixture(scope="module", params=chart.CASES)
def rendered(request: pytest.FixtureRequest) -> list[dict[str, Any]]:
    return chart.objects(chart.render("-f", chart.values_of(request.param)))


@pytest.fixture(scope="module")
def production() -> dict[str, dict[str, Any]]:
    return {f"{one['kind']}/{one['metadata']['name']}": one for one in chart.objects(chart.render("-f", PRODUCTION))}


def deployment_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    """The sidecar's, and not that of the probe."""
    (deployment,) = [one for one in found if one["kind"] == "Deployment" and one["metadata"]["name"] == "rag-sidecar"]
    return deployment


def pod_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    pod: dict[str, Any] = deployment_of(found)["spec"]["template"]
    return pod


@pytest.mark.parametrize("case", chart.CASES)
def test_the_chart_passes_strict_lint(case: str) -> None:
    done = chart.helm("lint", "--strict", ".", "-f", chart.values_of(case))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("kubernetes", chart.VERSIONS)
@pytest.mark.parametrize("case", chart.CASES)
def test_every_object_is_valid_for_old_and_new_kubernetes(case: str, kubernetes: str) -> None:
    rendered = chart.objects(chart.render("-f", chart.values_of(case), kubernetes=kubernetes))
    kinds = {one["kind"] for one in rendered}
    assert {"ConfigMap", "Deployment", "Pod", "PodDisruptionBudget", "Service", "ServiceAccount"} <= kinds
    for one in rendered:
        if one["kind"] not in CUSTOM:
            kubernetes_validate.validate(one, kubernetes, strict=True)


@pytest.mark.parametrize("kind", [kind for kind, plural in CUSTOM.items() if plural])
def test_what_the_prometheus_operator_reads_is_valid_by_its_own_definition(
    kind: str, production: dict[str, dict[str, Any]]
) -> None:
    definition = yaml.safe_load(paths.find_operator_definition(CUSTOM[kind] or "").read_text(encoding="utf-8"))
    (version,) = [one for one in definition["spec"]["versions"] if one["name"] == "v1"]
    schema = chart.closed(version["schema"]["openAPIV3Schema"])
    found = production[f"{kind}/rag-sidecar"]
    jsonschema.validate(found, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**found, "spec": {**found["spec"], "podMetricEndpoints": []}}, schema)


def test_an_example_beside_a_service_is_valid_where_native_sidecars_are() -> None:
    text = (chart.EXAMPLES / "native-sidecar/deployment.yaml").read_text(encoding="utf-8")
    settings, deployment = chart.objects(text)
    for kubernetes in chart.VERSIONS[1:]:
        kubernetes_validate.validate(settings, kubernetes, strict=True)
        kubernetes_validate.validate(deployment, kubernetes, strict=True)
    assert config.build(yaml.safe_load(settings["data"]["config.yaml"])).receive.topics
    pod = deployment["spec"]["template"]["spec"]
    (sidecar,) = pod["initContainers"]
    assert sidecar["restartPolicy"] == "Always"
    assert_restricted(pod)


def test_an_invalid_object_would_be_found(rendered: list[dict[str, Any]]) -> None:
    (service,) = [one for one in rendered if one["kind"] == "Service"]
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate({**service, "spec": {"ports": "many"}}, chart.KUBERNETES, strict=True)


def test_examples_are_what_the_chart_renders_now() -> None:
    for path, text in chart.examples().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run `python -m tests.real.chart`"


@pytest.mark.parametrize(("kind", "stays"), [("ClusterIP", True), ("NodePort", True), ("LoadBalancer", False)])
def test_whoever_reads_the_page_stays_with_a_replica_where_the_service_can_do_that(kind: str, stays: bool) -> None:
    found = chart.objects(chart.render("--set", f"service.type={kind}"))
    (service,) = [one for one in found if one["kind"] == "Service"]
    kubernetes_validate.validate(service, chart.KUBERNETES, strict=True)
    assert service["spec"]["type"] == kind
    assert service["spec"].get("sessionAffinity") == ("ClientIP" if stays else None)


def test_a_volume_with_models_is_mounted_read_only() -> None:
    found = chart.objects(chart.render("--set", "modelVolume.persistentVolumeClaim.claimName=rag-models"))
    (deployment,) = [one for one in found if one["kind"] == "Deployment"]
    kubernetes_validate.validate(deployment, chart.KUBERNETES, strict=True)
    spec = pod_of(found)["spec"]
    assert {"name": "models", "persistentVolumeClaim": {"claimName": "rag-models"}} in spec["volumes"]
    (container,) = spec["containers"]
    assert {"name": "models", "mountPath": "/models", "readOnly": True} in container["volumeMounts"]


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("replicaCont=3", "'replicaCont' not allowed"),
        ("config.recieve.topics=a", "'recieve' not allowed"),
        ("config.sample.rates=1", "'rates' not allowed"),
        ("config.sample.rate=2", "want 1"),
        ("config.sample.rules[0].service=kb", "missing property 'rate'"),
        ("config.receive.security.password=secret", "'password' not allowed"),
        ("image.pullPolicy=Sometimes", "one of"),
        ("podMonitor.interval=often", "does not match"),
        ("metrics.authType=digest", "one of"),
        ("resources.limits.cpus=2", "'cpus' not allowed"),
        ("terminationGracePeriodSeconds=40", "must exceed config.pipeline.stop_seconds .40;"),
        ("config.pipeline.stop_seconds=60", "must exceed config.pipeline.stop_seconds .60;"),
        ("autoscaling.keda.enabled=true,autoscaling.hpa.enabled=true", "enable keda or hpa, not both"),
        ("autoscaling.minReplicas=9", "exceeds autoscaling.maxReplicas"),
        ("autoscaling.hpa.externalMetrics=true", "enable both, or neither"),
        ("metrics.tlsSecret=a,config.admin.tls_cert_file=/c", "both say where the certificate"),
        ("metrics.authSecret=a,config.admin.bearer_token_file=/t", "keep metrics.authSecret, or"),
        ("metrics.authSecret=a,podMonitor.bearerTokenSecret.name=b", "leave it out"),
        ("podMonitor.enabled=true,config.admin.bearer_token_file=/t", "set podMonitor.bearerTokenSecret"),
        (
            "podMonitor.enabled=true,config.admin.basic_username=a,config.admin.basic_password_file=/p",
            "set metrics.authSecret and",
        ),
        (
            "podMonitor.enabled=true,secretEnv.RAG_SIDECAR_ADMIN__BEARER_TOKEN.name=s,secretEnv.RAG_SIDECAR_ADMIN__BEARER_TOKEN.key=t",
            "set podMonitor.bearerTokenSecret",
        ),
        (
            "podMonitor.enabled=true,env[0].name=RAG_SIDECAR_ADMIN__BEARER_TOKEN_FILE,env[0].value=/t",
            "set podMonitor.bearerTokenSecret",
        ),
        ("config.admin.port=9000,config.admin.probe_port=9000", "give the probes another"),
        ("config.results.topic=otlp_spans", "results would be read back in"),
        ("config.receive.topic_pattern=rag_.*,config.results.topic=rag_results", "results would be read back in"),
        ("config.labels.topic=otlp_spans", "labels would be read back in"),
        ("config.receive.topic_pattern=a,config.receive.topics={b}", "name one of them"),
        ("config.receive.dead_letter_topic=otlp_spans", "records would go in circles"),
        ("config.receive.topics=a\\,b,config.receive.dead_letter_topic=b", "records would go in circles"),
        ("config.receive.dead_letter_topic=a,config.results.topic=a", '"a" is config.results.topic too'),
        ("config.receive.dead_letter_topic=a,config.labels.topic=a", '"a" is config.labels.topic too'),
        ("config.labels.topic=a,config.results.topic=a", '"a" is config.results.topic too'),
        ("config.status_page.show_text=true", "to whoever reaches the pods: set metrics.authSecret"),
        ("config.status_page.show_text=true,config.admin.host=0.0.0.0", "to whoever reaches the pods"),
        ("config.admin.port=0", "takes a port that no Service finds"),
        ("config.admin.port=65536", "65536|want 65535|65,535"),
        ("env[0].name=RAG_SIDECAR_ADMIN__PORT,env[0].value=a", "set config.admin.port instead"),
        (
            "secretEnv.RAG_SIDECAR_ADMIN__PROBE_PORT.name=a,secretEnv.RAG_SIDECAR_ADMIN__PROBE_PORT.key=b",
            "set config.admin.probe_port instead",
        ),
        ("config.admin.host=127.0.0.1", "neither the kubelet's probes nor Prometheus get an answer"),
        ("config.status_page.show_text=true,config.admin.host=localhost", "an address of the pod's own"),
        ("env[0].name=RAG_SIDECAR_ADMIN__HOST,env[0].value=::1", "an address of the pod's own"),
        ("podDisruptionBudget.maxUnavailable=0", "no node with a pod"),
        ("networkPolicy.egress[0].to[0].ipBlock.cidr=10.0.0.0/8", "enable it, or remove them"),
        ("extraVolumeMounts[0].name=a,extraVolumeMounts[0].mountPath=/a", 'volume "a", which is not in extraVolumes'),
    ],
)
def test_a_wrong_value_is_refused_with_its_name(value: str, complaint: str) -> None:
    with pytest.raises(RuntimeError, match=complaint):
        chart.render("--set", value)


@pytest.mark.parametrize(
    "value",
    [
        "config.receive.topic_pattern=spans_.*,config.receive.dead_letter_topic=otlp_spans",
        "config.receive.dead_letter_topic=a,config.results.topic=a,config.results.bootstrap_servers=other:9092",
        "config.status_page.show_text=true,metrics.authSecret=login",
        "config.status_page.show_text=true,config.admin.bearer_token_file=/t",
        "config.status_page.show_text=true,config.status_page.enabled=false",
        "config.admin.host=::",
        "config.admin.port=65535",
    ],
)
def test_what_is_rendered_the_sidecar_takes(value: str) -> None:
    found = chart.objects(chart.render("--set", value))
    (settings,) = [one["data"]["config.yaml"] for one in found if "config.yaml" in one.get("data", {})]
    given = yaml.safe_load(settings)
    environment = {"RAG_SIDECAR_ADMIN__BEARER_TOKEN_FILE": "/t"} if "authSecret" in value else {}
    with mock.patch.dict(os.environ, environment):
        understood = config.build(given)
    assert understood.receive.topic_pattern == given["receive"].get("topic_pattern")
    ports = {one["name"]: one["containerPort"] for one in pod_of(found)["spec"]["containers"][0]["ports"]}
    assert ports == {"metrics": understood.admin.port, "probes": understood.admin.probes}


def test_the_sidecar_understands_the_settings_that_the_chart_renders(rendered: list[dict[str, Any]]) -> None:
    (settings,) = [one["data"]["config.yaml"] for one in rendered if "config.yaml" in one.get("data", {})]
    environment = {"RAG_SIDECAR_RECEIVE__SECURITY__PASSWORD": "of the test"} if "SCRAM" in settings else {}
    with mock.patch.dict(os.environ, environment):
        understood = config.build(yaml.safe_load(settings))
    assert understood.receive.topics


def assert_restricted(pod: dict[str, Any]) -> None:
    """The `restricted` Pod Security Standard, https://kubernetes.io/docs/concepts/security/pod-security-standards/."""
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostNetwork", "hostPID", "hostIPC"} & pod.keys()
    kinds = {kind for volume in pod["volumes"] for kind in volume if kind != "name"}
    assert kinds <= {"configMap", "emptyDir", "persistentVolumeClaim", "projected", "secret"}
    for container in [*pod.get("initContainers", []), *pod["containers"]]:
        security = container["securityContext"]
        assert security["allowPrivilegeEscalation"] is False
        assert security["capabilities"] == {"drop": ["ALL"]}
        assert not {"privileged", "procMount"} & security.keys()
        assert not [port for port in container.get("ports", []) if "hostPort" in port]


def test_pods_run_without_privileges(rendered: list[dict[str, Any]]) -> None:
    (test,) = [one["spec"] for one in rendered if one["kind"] == "Pod"]
    for pod in (pod_of(rendered)["spec"], test):
        assert_restricted(pod)
        assert pod["securityContext"]["runAsUser"] == 10001
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert container["resources"]["limits"].keys() == {"cpu", "memory"}


def test_the_test_of_a_release_has_its_settings_and_secrets_and_is_none_of_its_pods() -> None:
    found = chart.objects(chart.render("-f", TLS))
    (test,) = [one for one in found if one["kind"] == "Pod"]
    check, metrics = test["spec"]["containers"]
    (container,) = pod_of(found)["spec"]["containers"]
    assert (check["env"], check["volumeMounts"]) == (container["env"], container["volumeMounts"])
    assert test["spec"]["volumes"] == pod_of(found)["spec"]["volumes"]
    assert check["args"] == ["check", *container["args"][1:]]
    assert metrics["args"][1] == f"https://rag-sidecar.{chart.NAMESPACE}.svc:9464/metrics"
    compile(metrics["args"][0], "helm test", "exec")
    (deployment,) = [one for one in found if one["kind"] == "Deployment"]
    (service,) = [one for one in found if one["kind"] == "Service"]
    for selector in (deployment["spec"]["selector"]["matchLabels"], service["spec"]["selector"]):
        assert not selector.items() <= test["metadata"]["labels"].items()


@pytest.mark.parametrize(("body", "code"), [(b"rag_sidecar_build_info 1", 0), (b"other", 1)])
def test_the_question_of_the_test_is_answered_by_what_is_served(body: bytes, code: int, served: Served) -> None:
    assert served(body, 200) == code
    assert served(body, 401) == 0
    assert served(body, 500) == 1


class Served(Protocol):
    """The exit code of the chart's question where a server answers so."""

    def __call__(self, body: bytes, status: int) -> int: ...


@pytest.fixture
def served() -> Served:
    (test,) = [one for one in chart.objects(chart.render()) if one["kind"] == "Pod"]
    code = test["spec"]["containers"][1]["args"][0]

    def ask(body: bytes, status: int) -> int:
        class Answer(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(status)
                self.end_headers()
                self.wfile.write(body)

        with HTTPServer(("127.0.0.1", 0), Answer) as server, ThreadPoolExecutor(1) as pool:
            pool.submit(server.handle_request)
            command = [sys.executable, "-c", code, f"http://127.0.0.1:{server.server_port}/metrics"]
            return subprocess.run(command, capture_output=True, timeout=60, check=False).returncode

    return ask


def test_a_network_policy_lets_in_prometheus_and_the_test_and_out_to_what_is_named(
    production: dict[str, dict[str, Any]],
) -> None:
    policy = production["NetworkPolicy/rag-sidecar"]["spec"]
    pod = pod_of(list(production.values()))
    assert policy["podSelector"]["matchLabels"].items() <= pod["metadata"]["labels"].items()
    assert policy["policyTypes"] == ["Ingress", "Egress"]
    metrics, probes = policy["ingress"]
    ports = {one["name"] for one in pod["spec"]["containers"][0]["ports"]}
    assert {metrics["ports"][0]["port"], probes["ports"][0]["port"]} == ports
    test = production["Pod/rag-sidecar-test"]["metadata"]["labels"]
    assert metrics["from"][-1]["podSelector"]["matchLabels"] == test
    assert "from" not in probes, "the kubelet asks from an address that no policy can name"
    assert [port["port"] for rule in policy["egress"] for port in rule["ports"]] == [53, 53, 9093, 4318]
    (open_policy,) = [
        one["spec"]
        for one in chart.objects(chart.render("--set", "networkPolicy.enabled=true"))
        if one["kind"] == "NetworkPolicy"
    ]
    assert (open_policy["policyTypes"], "egress" in open_policy) == (["Ingress"], False)


def test_pods_spread_by_the_labels_of_the_release_unless_others_are_given() -> None:
    spread = pod_of(chart.objects(chart.render()))["spec"]["topologySpreadConstraints"]
    assert [one["topologyKey"] for one in spread] == ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
    own = {"app.kubernetes.io/name": "rag-sidecar", "app.kubernetes.io/instance": "rag-sidecar"}
    assert [one["labelSelector"] for one in spread] == [{"matchLabels": own}] * 2
    given = '[{"topologyKey":"rack","maxSkew":1,"whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"a":"b"}}}]'
    (kept,) = pod_of(chart.objects(chart.render("--set-json", f"topologySpreadConstraints={given}")))["spec"][
        "topologySpreadConstraints"
    ]
    assert kept == json.loads(given)[0]


def test_volumes_and_objects_of_ones_own_are_installed_with_the_release() -> None:
    found = chart.objects(chart.render("-f", chart.values_of("extra")))
    pod = pod_of(found)["spec"]
    assert "rag-models" in [one.get("persistentVolumeClaim", {}).get("claimName") for one in pod["volumes"]]
    assert "/models" in [one["mountPath"] for one in pod["containers"][0]["volumeMounts"]]
    assert [one["data"] for one in found if one["metadata"]["name"] == "rag-sidecar-note"] == [{"owner": "team-search"}]
    text = chart.render("--set-json", 'extraManifests=["kind: Secret\\nmetadata: {name: {{ .Release.Name }}-a}"]')
    assert "rag-sidecar-a" in [one["metadata"]["name"] for one in chart.objects(text)]


def test_an_object_of_ones_own_keeps_the_templates_of_whoever_it_is_for() -> None:
    secret = {"spec": {"target": {"template": {"data": {"jaas": "user {{ .username }} password {{ .password }}"}}}}}
    rule = {
        "spec": {"groups": [{"name": "g", "rules": [{"alert": "A", "annotations": {"summary": "{{ $labels.job }}"}}]}]}
    }
    kinds = (("ExternalSecret", secret), ("PrometheusRule", rule))
    given = [{"apiVersion": "v1", "kind": kind, "metadata": {"name": "own"}, **one} for kind, one in kinds]
    found = chart.objects(chart.render("--set-json", f"extraManifests={json.dumps(given)}"))
    assert [one for one in found if one["metadata"]["name"] == "own"] == given


def test_kubernetes_adds_no_variables_that_the_sidecar_would_refuse(rendered: list[dict[str, Any]]) -> None:
    assert pod_of(rendered)["spec"]["enableServiceLinks"] is False


def test_a_pod_has_time_to_drain_and_leaves_before_another_joins(rendered: list[dict[str, Any]]) -> None:
    deployment = deployment_of(rendered)
    assert pod_of(rendered)["spec"]["terminationGracePeriodSeconds"] > PipelineConfig().whole_stop_seconds
    assert deployment["spec"]["strategy"]["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}


def test_probes_ask_their_own_port_and_monitors_that_of_the_metrics(production: dict[str, dict[str, Any]]) -> None:
    (container,) = pod_of(list(production.values()))["spec"]["containers"]
    assert container["ports"] == [
        {"name": "metrics", "containerPort": 9464, "protocol": "TCP"},
        {"name": "probes", "containerPort": 9465, "protocol": "TCP"},
    ]
    probes = {name: container[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")}
    alive, ready = ({"path": path, "port": "probes"} for path in ("/livez", "/readyz"))
    assert probes == {"startupProbe": alive, "livenessProbe": alive, "readinessProbe": ready}
    monitor = production["PodMonitor/rag-sidecar"]["spec"]
    assert monitor["podMetricsEndpoints"][0]["port"] == "metrics"
    labels = pod_of(list(production.values()))["metadata"]["labels"]
    assert monitor["selector"]["matchLabels"].items() <= labels.items()
    assert monitor["jobLabel"] in labels


def test_tls_and_other_ports_reach_the_monitor_and_the_probes() -> None:
    values = "config.admin.port=9999,config.admin.tls_cert_file=/c,config.admin.tls_key_file=/k,podMonitor.enabled=true"
    found = chart.objects(chart.render("--set", values))
    (container,) = pod_of(found)["spec"]["containers"]
    assert [port["containerPort"] for port in container["ports"]] == [9999, 10000]
    assert "scheme" not in container["readinessProbe"]["httpGet"], "the probes' own port never speaks TLS"
    other = pod_of(chart.objects(chart.render("--set", "config.admin.probe_port=8080")))["spec"]["containers"][0]
    assert [port["containerPort"] for port in other["ports"]] == [9464, 8080]
    (monitor,) = [one for one in found if one["kind"] == "PodMonitor"]
    assert monitor["spec"]["podMetricsEndpoints"][0]["scheme"] == "https"


def test_a_port_that_is_null_is_the_default() -> None:
    for values, ports in (
        ("config.admin.probe_port=null", [9464, 9465]),
        ("config.admin.port=9500,config.admin.probe_port=null", [9500, 9501]),
    ):
        (container,) = pod_of(chart.objects(chart.render("--set", values)))["spec"]["containers"]
        assert [port["containerPort"] for port in container["ports"]] == ports


def test_a_token_of_the_environment_reaches_the_monitor() -> None:
    token = "secretEnv.RAG_SIDECAR_ADMIN__BEARER_TOKEN.name=s,secretEnv.RAG_SIDECAR_ADMIN__BEARER_TOKEN.key=t"
    given = "podMonitor.enabled=true,podMonitor.bearerTokenSecret.name=s,podMonitor.bearerTokenSecret.key=t"
    found = chart.objects(chart.render("--set", f"{token},{given}"))
    [endpoint] = [one["spec"]["podMetricsEndpoints"][0] for one in found if one["kind"] == "PodMonitor"]
    assert endpoint["authorization"] == {"type": "Bearer", "credentials": {"name": "s", "key": "t"}}
    assert endpoint["scheme"] == "http"


@pytest.mark.parametrize("kind", ["basic", "bearer"])
def test_an_existing_secret_reaches_the_pod_and_the_monitor(kind: str) -> None:
    found = chart.objects(chart.render("-f", TLS, "--set", f"metrics.authType={kind}"))
    pod = pod_of(found)["spec"]
    (container,) = pod["containers"]
    environment = {one["name"]: one.get("value", "") for one in container["env"]}
    mounts = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
    secrets = {one["name"]: one["secret"]["secretName"] for one in pod["volumes"] if "secret" in one}
    for name, secret in (("admin-tls", "rag-sidecar-tls"), ("admin-auth", "rag-sidecar-metrics")):
        assert secrets[name] == secret
        assert any(value.startswith(f"{mounts[name]}/") for value in environment.values())
    with mock.patch.dict(os.environ, {name: value or "prometheus" for name, value in environment.items()}):
        admin = config.build({"receive": {"bootstrap_servers": "a:1", "topics": ["t"]}}).admin
    assert str(admin.tls_key_file) == "/etc/rag-sidecar/admin-tls/tls.key"
    (monitor,) = [one for one in found if one["kind"] == "PodMonitor"]
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    assert endpoint["scheme"] == "https"
    assert endpoint["tlsConfig"] == {
        "ca": {"secret": {"name": "rag-sidecar-tls", "key": "ca.crt"}},
        "serverName": f"rag-sidecar.{chart.NAMESPACE}.svc",
    }
    keys = {key: {"name": "rag-sidecar-metrics", "key": key} for key in ("username", "password", "token")}
    if kind == "basic":
        assert (admin.basic_username, str(admin.basic_password_file)) == (
            "prometheus",
            f"{mounts['admin-auth']}/password",
        )
        assert endpoint["basicAuth"] == {"username": keys["username"], "password": keys["password"]}
        assert "authorization" not in endpoint
    else:
        assert str(admin.bearer_token_file) == f"{mounts['admin-auth']}/token"
        assert endpoint["authorization"] == {"type": "Bearer", "credentials": keys["token"]}
        assert "basicAuth" not in endpoint


def test_secrets_come_as_references(production: dict[str, dict[str, Any]]) -> None:
    pod = pod_of(list(production.values()))["spec"]
    assert pod["containers"][0]["env"][0] == {
        "name": "RAG_SIDECAR_RECEIVE__SECURITY__PASSWORD",
        "valueFrom": {"secretKeyRef": {"name": "kafka-user", "key": "password"}},
    }
    mounts = {one["name"]: one["mountPath"] for one in pod["containers"][0]["volumeMounts"]}
    assert mounts["secret-kafka-ca"] == "/etc/rag-sidecar/secrets/kafka-ca"
    assert not [one for one in production.values() if one["kind"] == "Secret"]


def test_a_changed_setting_replaces_the_pods() -> None:
    assert len({checksum(), checksum("config.receive.group_id=g"), checksum("config.sample.salt=s")}) == 3


def test_a_changed_setting_that_is_live_replaces_no_pod() -> None:
    values = (
        "config.sample.rate=1", "config.sample.rules[0].service=a", "config.sample.rules[0].rate=1", "config.sample.min_rate=0",
        "config.sample.always_keep[0].name=a", "config.sample.budget.enabled=false", "config.sample.budget.low_fill=0",
        "config.sample.budget.high_fill=1", "config.evaluate.most_documents=9", "config.evaluate.timeout_seconds=9",
        "config.evaluate.groundedness.threshold=1", "config.evaluate.groundedness.thresholds.a=1",
        "config.evaluate.groundedness.judge_threshold=1", "config.evaluate.groundedness.judge_rate=1",
        "config.price.models.m.input=1", "config.price.models.m.output=1",
        "config.log.level=DEBUG",
    )  # fmt: skip
    kept = (
        "config.sample.salt=s", "config.evaluate.evaluators={groundedness}", "config.log.format=text",
        "config.sample.budget.interval_seconds=2",
    )  # fmt: skip
    named = {tuple(re.split(r"[.\[=]", value)[1:]) for value in values}
    for pattern in LIVE:
        assert any(all(map(fnmatchcase, one, pattern)) for one in named), pattern
    assert checksum() == checksum(*values)
    assert checksum(*kept) == checksum(*kept, *values) != checksum()


def test_a_setting_of_zero_or_off_replaces_the_pods_too() -> None:
    days, references = "config.evaluate.anchors_expire_days=0", "config.evaluate.references=off"
    assert len({checksum(), checksum(days), checksum(references)}) == 3


def checksum(*values: str) -> str:
    pod = pod_of(chart.objects(chart.render(*(word for value in values for word in ("--set", value)))))
    found: str = pod["metadata"]["annotations"]["checksum/config"]
    return found


def test_the_settings_are_mounted_as_a_folder_so_that_a_changed_config_map_arrives(
    production: dict[str, dict[str, Any]],
) -> None:
    (container,) = pod_of(list(production.values()))["spec"]["containers"]
    (mount,) = [one for one in container["volumeMounts"] if one["name"] == "config"]
    assert "subPath" not in mount
    assert container["args"] == ["run", "--config", f"{mount['mountPath']}/config.yaml"]


def test_the_rules_are_the_projects_with_the_installers_addresses(production: dict[str, dict[str, Any]]) -> None:
    expected = yaml.safe_load(
        generate.rules_yaml(
            runbooks="https://wiki.example.org/rag-sidecar/runbooks",
            grafana="https://grafana.example.org/d",
            status_page="https://rag-sidecar.example.org",
        )
    )
    assert production["PrometheusRule/rag-sidecar"]["spec"] == expected
    alerts = [rule["annotations"] for group in expected["groups"] for rule in group["rules"] if "alert" in rule]
    answers = {one["answers_url"] for one in alerts if "answers_url" in one}
    page = "https://rag-sidecar.example.org/?service={{ $labels.rag_service | urlquery }}&list=worst"
    assert answers == {f"{page}&range=6h", f"{page}&range=3d"}


@pytest.mark.parametrize("path", generate.DASHBOARDS, ids=lambda path: path.stem)
def test_a_dashboard_is_the_projects_with_the_installers_runbooks(
    production: dict[str, dict[str, Any]], path: Path
) -> None:
    found = production[f"ConfigMap/rag-sidecar-dashboard-{path.stem.removeprefix('rag-')}"]
    expected = generate.files(
        runbooks="https://wiki.example.org/rag-sidecar/runbooks", status_page="https://rag-sidecar.example.org"
    )[path]
    assert found["data"].keys() == {path.name}
    assert found["data"][path.name].rstrip() == expected.rstrip()
    assert found["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert found["metadata"]["annotations"] == {"grafana_folder": "RAG"}
    assert len(json.dumps(found)) < 200_000, "kubectl apply keeps a copy in an annotation of 262144 bytes at most"


def test_pods_follow_the_sampling_that_the_budget_leaves_the_lag_and_cpu_and_the_deployment_sets_no_number() -> None:
    found = chart.objects(chart.render("-f", chart.values_of("keda")))
    (scaled,) = [one for one in found if one["kind"] == "ScaledObject"]
    (deployment,) = [one for one in found if one["kind"] == "Deployment"]
    assert "replicas" not in deployment["spec"]
    queries = [one["metadata"].get("query", one["type"]) for one in scaled["spec"]["triggers"]]
    assert ["sampling_factor" in queries[0], "consumer_lag_seconds" in queries[1], queries[2]] == [True, True, "cpu"]
    assert (scaled["spec"]["minReplicaCount"], scaled["spec"]["maxReplicaCount"]) == (3, 12)


@pytest.mark.parametrize(
    ("pod", "ours"),
    [
        ("rag-sidecar-6d4b75cb6d-hwpzz", True),
        ("rag-sidecar-6d4b75chwpzz", True),
        ("rag-sidecar-eu-6d4b75cb6d-hwpzz", False),
        ("rag-sidecar-probe-6d4b75cb6d-hwpzz", False),
    ],
    ids=["a pod", "a pod whose name was cut", "a pod of another release", "the probe"],
)
def test_only_pods_of_the_release_are_asked_for_the_sampling_and_the_lag(pod: str, ours: bool) -> None:
    found = chart.objects(chart.render("-f", chart.values_of("keda")))
    (scaled,) = [one for one in found if one["kind"] == "ScaledObject"]
    queries = [one["metadata"]["query"] for one in scaled["spec"]["triggers"] if one["type"] == "prometheus"]
    patterns = [re.search(r'pod=~"([^"]+)"', query) for query in queries]
    assert [bool(one and re.fullmatch(one[1], pod)) for one in patterns] == [ours, ours]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("config.receive.topics={a}", "reads [a] from kafka:9092."),
        ("config.receive.topic_pattern=spans_.*", "reads spans_.* from kafka:9092."),
        ("metrics.authSecret=login", "the login of secret login: -H 'Authorization: Bearer TOKEN'"),
        ("metrics.authSecret=login,metrics.authType=basic", "the login of secret login: -u NAME:PASSWORD"),
    ],
)
def test_the_notes_of_an_installation_say_what_is_read_and_with_which_login(value: str, said: str) -> None:
    # `helm template` leaves the notes out, so they are rendered as an object of one's own.
    notes = (chart.CHART / "templates/NOTES.txt").read_text(encoding="utf-8")
    text = "kind: ConfigMap\ndata:\n  notes: |\n" + "".join(f"    {line}\n" for line in notes.splitlines())
    found = chart.objects(chart.render("--set", value, "--set-json", f"extraManifests={json.dumps([text])}"))
    (shown,) = [one["data"]["notes"] for one in found if "notes" in one.get("data", {})]
    assert said in shown
    assert ("login" in shown) == ("authSecret" in value)


def test_a_horizontal_pod_autoscaler_is_valid_and_asks_for_external_metrics_where_wanted() -> None:
    found = chart.objects(chart.render("-f", chart.values_of("hpa")))
    (scaler,) = [one for one in found if one["kind"] == "HorizontalPodAutoscaler"]
    kubernetes_validate.validate(scaler, chart.KUBERNETES, strict=True)
    assert [one["type"] for one in scaler["spec"]["metrics"]] == ["Resource", "External", "External"]


@pytest.fixture(scope="module")
def probing() -> dict[str, dict[str, Any]]:
    found = chart.objects(chart.render("-f", chart.values_of("probe")))
    return {f"{one['kind']}/{one['metadata']['name']}": one for one in found}


def test_a_probe_is_one_pod_that_is_none_of_the_sidecars(probing: dict[str, dict[str, Any]]) -> None:
    deployment = probing["Deployment/rag-sidecar-probe"]
    assert (deployment["spec"]["replicas"], deployment["spec"]["strategy"]) == (1, {"type": "Recreate"})
    pod = deployment["spec"]["template"]
    assert_restricted(pod["spec"])
    labels = pod["metadata"]["labels"]
    for other in ("Service", "Deployment", "PodDisruptionBudget", "NetworkPolicy", "PodMonitor"):
        spec = probing[f"{other}/rag-sidecar"]["spec"]
        selector = spec.get("selector") or spec["podSelector"]
        wanted = selector.get("matchLabels", selector)
        assert not wanted.items() <= labels.items(), other
    for own in ("NetworkPolicy", "PodMonitor"):
        spec = probing[f"{own}/rag-sidecar-probe"]["spec"]
        assert (spec.get("selector") or spec["podSelector"])["matchLabels"].items() <= labels.items()


def test_the_probe_understands_the_file_that_the_chart_renders(
    probing: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    (path := tmp_path / "probe.yaml").write_text(
        probing["ConfigMap/rag-sidecar-probe"]["data"]["probe.yaml"], encoding="utf-8"
    )
    probe = load_probe(path)
    assert (probe.service, probe.every_seconds) == ("support-bot", 600)
    assert probe.cases == Path("/etc/rag-sidecar/cases/cases.jsonl")
    [container] = probing["Deployment/rag-sidecar-probe"]["spec"]["template"]["spec"]["containers"]
    mounts = {one["mountPath"]: one["name"] for one in container["volumeMounts"]}
    assert mounts["/etc/rag-sidecar/cases"] == "cases"
    assert Path(container["args"][1]).parent == Path("/etc/rag-sidecar/probe")
    [variable] = [one for one in container["env"] if one["name"] == "SUPPORT_BOT_TOKEN"]
    assert variable["valueFrom"]["secretKeyRef"] == {"name": "support-bot-probe", "key": "token"}
    assert {one["name"]: one["containerPort"] for one in container["ports"]} == {"metrics": 9464, "probes": 9465}


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--set", "probe.casesConfigMap="], "probe.casesConfigMap"),
        (["--set", "probe.config.service="], "probe.config.service"),
        (["--set", "probe.config.request.url="], "probe.config.request.url"),
        (["--set", "probe.config.evry_seconds=5"], "evry_seconds"),
        (["--set", "probe.config.request.headers.authorization=secret"], "authorization"),
        (["--set", "probe.config.cases=x"], "cases"),
        (["--set", "probe.config.admin.port=0"], "probe.config.admin.port is 0"),
        (["--set", "probe.config.admin.host=127.0.0.1"], 'probe.config.admin.host "127.0.0.1" is an address of'),
    ],
)
def test_a_probe_without_what_it_needs_or_with_a_secret_in_its_file_is_refused(more: list[str], complaint: str) -> None:
    with pytest.raises(RuntimeError, match=complaint):
        chart.render("-f", chart.values_of("probe"), *more)


PROBE_TOKEN = (
    "--set",
    "probe.config.admin.bearer_token_file=/etc/rag-sidecar/admin-auth/token,podMonitor.enabled=true",
)


def test_a_probe_that_asks_for_a_login_is_scraped_with_it() -> None:
    by_secret = ("--set", "metrics.authSecret=a")
    tls = ("--set", "metrics.tlsSecret=t,probe.config.admin.tls_cert_file=/c,probe.config.admin.tls_key_file=/k")
    found = chart.objects(chart.render("-f", chart.values_of("probe"), *PROBE_TOKEN, *by_secret, *tls))
    [endpoint] = [
        one["spec"]["podMetricsEndpoints"][0] for one in found if one["metadata"]["name"] == "rag-sidecar-probe" and one["kind"] == "PodMonitor"
    ]  # fmt: skip
    assert endpoint["authorization"] == {"type": "Bearer", "credentials": {"name": "a", "key": "token"}}
    assert (endpoint["scheme"], endpoint["tlsConfig"]["ca"]["secret"]["name"]) == ("https", "t")


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (PROBE_TOKEN, "probe.config.admin makes /metrics ask for a token that the PodMonitor does not have"),
        (
            (
                "--set",
                "podMonitor.enabled=true,probe.config.admin.basic_username=a,probe.config.admin.basic_password_file=/p",
            ),
            "probe.config.admin makes /metrics ask for a password that the PodMonitor does not have",
        ),
    ],
    ids=["a token", "a password"],
)
def test_a_probe_whose_monitor_would_not_be_let_in_is_refused(more: tuple[str, ...], complaint: str) -> None:
    with pytest.raises(RuntimeError, match=complaint):
        chart.render("-f", chart.values_of("probe"), *more)
