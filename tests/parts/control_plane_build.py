"""The control plane of Kubernetes that is built from its Go modules: etcd and the API server, without nodes or controllers."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.parts import paths
from tests.parts.fetching import GO, Part, install, need, output, run, workspace
from tests.parts.paths import KUBERNETES_VERSION

_ETCD = "go.etcd.io/etcd/server/v3"
_API_SERVER = "k8s.io/kubernetes/cmd/kube-apiserver"
# Where the program keeps what it says of itself; Helm asks it whether a chart fits.
_VERSION = "k8s.io/component-base/version"


def _version() -> str | None:
    try:
        programs = paths.find_control_plane_programs()
    except paths.MissingPartError:
        return None
    said = output([programs / "kube-apiserver", "--version"])
    return KUBERNETES_VERSION if said.split() == ["Kubernetes", f"v{KUBERNETES_VERSION}"] else None


def _fetch() -> None:
    """Kubernetes asks for its own libraries in a version that only its own tree has; ours says which ones those are. Its etcd is the one that it names."""
    go = need("go", "the API server of Kubernetes", GO)
    major, minor, _ = KUBERNETES_VERSION.split(".")
    said = {"gitVersion": f"v{KUBERNETES_VERSION}", "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    flags = " ".join(["-s", "-w", *(f"-X {_VERSION}.{name}={value}" for name, value in said.items())])
    # Sums of what is downloaded are those of the public database of sums.
    environment = {"GOWORK": "off", "GOFLAGS": "-mod=mod -buildvcs=false", "CGO_ENABLED": "0"}
    with workspace() as work:
        told = run([go, "mod", "download", "-json", f"k8s.io/kubernetes@v{KUBERNETES_VERSION}"], GOWORK="off")
        module = Path(json.loads(told)["GoMod"]).read_text(encoding="utf-8")
        (work / "go.mod").write_text(_our_module(module), encoding="utf-8")
        for name, package in (("etcd", _ETCD), ("kube-apiserver", _API_SERVER)):
            build: list[str | Path] = [go, "build", "-ldflags", flags, "-o", work / "made" / name, package]
            run(build, cwd=work, seconds=3 * 3600, **environment)
        install(work / "made", paths.control_plane_programs())


def _our_module(kubernetes: str) -> str:
    """A go.mod, of the one of Kubernetes."""
    (go,) = re.findall(r"^go (\S+)$", kubernetes, re.MULTILINE)
    (etcd,) = re.findall(rf"^\t{_ETCD} (\S+)", kubernetes, re.MULTILINE)
    own = re.findall(r"^\t(k8s\.io/\S+) v0\.0\.0$", kubernetes, re.MULTILINE)
    released = f"v0.{KUBERNETES_VERSION.partition('.')[2]}"
    lines = ["module control-plane", f"go {go}", f"require {_ETCD} {etcd}"]
    lines += [f"require k8s.io/kubernetes v{KUBERNETES_VERSION}"]
    lines += [f"replace {name} => {name} {released}" for name in own]
    return "\n".join(lines) + "\n"


CONTROL_PLANE = Part("control-plane", f"Kubernetes {KUBERNETES_VERSION}", _version, _fetch)
