"""Two variants by what Prometheus has of them: the same sums that the dashboards divide."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from exporters.clients.http import HttpClient, Limits, UnansweredError, WrongRequestError
from sidecar.offline.arms import GROUNDED, Variant, refuse_unknown
from sidecar.record.errors import ConfigError, SidecarError
from sidecar.statistics.unpaired import Arm

_SECONDS = 60.0
_MOST_BYTES = 20_000_000
_MEND = "give the address of Prometheus itself, as http://prometheus:9090, and look whether it can be reached from here"


class PrometheusError(SidecarError):
    """Prometheus did not answer, or said no."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which requests: a service (None: all), and a window as PromQL writes it, back from now."""

    service: str | None
    window: str

    def sums(self, series: str, *by: str, **labels: str) -> str:
        """PromQL: how much a counter with these labels rose, by variant and `by`."""
        wanted = labels if self.service is None else {**labels, "rag_service": self.service}
        where = ",".join(f"{name}={json.dumps(value)}" for name, value in wanted.items())
        return f"sum by ({', '.join(('variant', *by))}) (increase({series}{{{where}}}[{self.window}]))"


class Prometheus:
    """Its HTTP API at an address; `token` goes along as a bearer token."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._url = url.rstrip("/") + "/api/v1/query"
        # As it is told: a login in an address is for the server alone.
        self._told = urlsplit(url)._replace(netloc=urlsplit(url).netloc.rpartition("@")[2], query="").geturl()
        headers = {"content-type": "application/x-www-form-urlencoded"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        self._client = HttpClient(Limits(_SECONDS, 4, _MOST_BYTES), headers=headers)
        # The windows of all queries end at one time, so that sums and counts are of the same requests.
        self._time = f"{time.time():.3f}"

    async def variants(self, names: tuple[str, str], asked: Asked) -> tuple[Variant, Variant]:
        """Both. Raises PrometheusError, ConfigError for an address that is none and for a variant without requests."""
        try:
            scores = await self._scores(asked)
            grounded = await self._grounded(asked)
            traffic = await self._query(asked.sums("rag_requests_total"))
        finally:
            await self._client.close()
        there = {variant or "none": round(traffic.get((variant, ""), 0.0)) for variant, _ in {**scores, **traffic}}
        refuse_unknown(names, there, asked.service)
        found = []
        for name in names:
            arms = {metric: one for (variant, metric), one in scores.items() if variant == name}
            if name in grounded:
                arms[GROUNDED] = grounded[name]
            found.append(Variant(name, arms, traffic=traffic.get((name, ""))))
        return found[0], found[1]

    async def _scores(self, asked: Asked) -> Mapping[tuple[str, str], Arm]:
        """By variant and evaluator, of sums of w, w x, w^2, w^2 x and w^2 x^2."""
        weight = await self._query(asked.sums("rag_evaluation_score_count", "evaluator"))
        total = await self._query(asked.sums("rag_evaluation_score_sum", "evaluator"))
        squared = [
            await self._query(asked.sums("rag_evaluation_squared_weight_total", "evaluator", power=power))
            for power in "012"
        ]
        found = {}
        for key, w in weight.items():
            q0, q1, q2 = (powers.get(key, 0.0) for powers in squared)
            if w > 0 and q0 > 0:
                mean = total.get(key, 0.0) / w
                error = max(0.0, q2 - 2 * mean * q1 + mean * mean * q0) / w**2
                found[key] = Arm(mean, error * w * w / q0, w * w / q0)
        return found

    async def _grounded(self, asked: Asked) -> Mapping[str, Arm]:
        """By variant: the share of grounded among decided verdicts."""
        weight = await self._query(asked.sums("rag_verdict_weight_total", "verdict"))
        squared = await self._query(asked.sums("rag_verdict_weight_squared_total", "verdict"))
        found = {}
        for name in {variant for variant, _ in weight}:
            good, bad = (weight.get((name, verdict), 0.0) for verdict in ("grounded", "hallucinated"))
            squares = sum(squared.get((name, verdict), 0.0) for verdict in ("grounded", "hallucinated"))
            if good + bad > 0 and squares > 0:
                share = good / (good + bad)
                found[name] = Arm(share, share * (1 - share), (good + bad) ** 2 / squares)
        return found

    async def _query(self, promql: str) -> Mapping[tuple[str, str], float]:
        """An instant vector by variant and its other label."""
        try:
            answer = await self._client.post(self._url, urlencode({"query": promql, "time": self._time}).encode())
        except UnansweredError as error:
            raise PrometheusError(f"--prometheus: no answer from {self._told}: {error} ({_MEND})") from error
        except WrongRequestError as error:
            raise ConfigError("--prometheus", f"is no address: {error}", "as http://prometheus:9090") from error
        try:
            said = json.loads(answer.body)
            if said["status"] != "success":
                problem = f"{said.get('errorType', 'error')}: {said.get('error', '')}"
                raise PrometheusError(f"--prometheus: {self._told}: {problem}")
            rows = [(one["metric"], float(one["value"][1])) for one in said["data"]["result"]]
        except (ValueError, KeyError, TypeError) as error:
            problem = f"status {answer.status}, and no answer of Prometheus"
            raise PrometheusError(f"--prometheus: {self._told}: {problem} ({_MEND})") from error
        return {_key(labels): value for labels, value in rows if value == value}


def _key(labels: Mapping[str, str]) -> tuple[str, str]:
    other = next((value for name, value in sorted(labels.items()) if name != "variant"), "")
    return labels.get("variant", ""), other
