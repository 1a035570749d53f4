{{/* Combinations of values that the schema cannot refuse, since each value is right by itself. The words name the field and the mend. */}}
{{- define "rag-sidecar.checks" -}}
{{- $scaling := .Values.autoscaling }}
{{- $admin := include "rag-sidecar.adminSet" . }}
{{- $login := include "rag-sidecar.loginOf" $admin }}
{{- $drain := dig "pipeline" "drain_seconds" 20 .Values.config | float64 }}
{{- $stop := dig "pipeline" "stop_seconds" 0 .Values.config | default (maxf 5 (mulf 2 $drain)) | float64 }}
{{- if le (float64 .Values.terminationGracePeriodSeconds) $stop }}
{{- fail (printf "terminationGracePeriodSeconds (%v) must exceed config.pipeline.stop_seconds (%v; by default twice drain_seconds), or pods are killed before they have stopped" .Values.terminationGracePeriodSeconds $stop) }}
{{- end }}
{{- if and $scaling.keda.enabled $scaling.hpa.enabled }}
{{- fail "autoscaling: keda makes a HorizontalPodAutoscaler of its own; enable keda or hpa, not both" }}
{{- end }}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) }}
{{- fail (printf "autoscaling.minReplicas (%v) exceeds autoscaling.maxReplicas (%v)" $scaling.minReplicas $scaling.maxReplicas) }}
{{- end }}
{{- if and $scaling.hpa.externalMetrics (not $scaling.hpa.enabled) }}
{{- fail "autoscaling.hpa.externalMetrics is on and autoscaling.hpa.enabled is off: enable both, or neither" }}
{{- end }}
{{- if and .Values.metrics.tlsSecret (contains ",tls_cert_file," $admin) }}
{{- fail "metrics.tlsSecret and config.admin.tls_cert_file both say where the certificate of /metrics is: keep one" }}
{{- end }}
{{- if and .Values.metrics.authSecret $login }}
{{- fail "metrics.authSecret and config.admin both say what /metrics asks for: keep metrics.authSecret, or config.admin.bearer_token_file or basic_username" }}
{{- end }}
{{- if and .Values.metrics.authSecret .Values.podMonitor.bearerTokenSecret }}
{{- fail "podMonitor.bearerTokenSecret is not needed beside metrics.authSecret, which the PodMonitor gets already: leave it out" }}
{{- end }}
{{- if .Values.podMonitor.enabled }}
{{- include "rag-sidecar.monitorCheck" (dict "root" . "section" "config.admin (or the environment)" "login" $login) }}
{{- if .Values.probe.enabled }}
{{- include "rag-sidecar.monitorCheck" (dict "root" . "section" "probe.config.admin" "login" (include "rag-sidecar.loginOf" (include "rag-sidecar.probeAdminSet" .))) }}
{{- end }}
{{- end }}
{{- if eq (include "rag-sidecar.adminPort" .) (include "rag-sidecar.probePort" .) }}
{{- fail (printf "config.admin.port and config.admin.probe_port are both %s: give the probes another" (include "rag-sidecar.adminPort" .)) }}
{{- end }}
{{- $listens := .Values.config.admin | default dict }}
{{- range $name := list "port" "probe_port" }}
{{- if contains (printf ",%s," $name) (include "rag-sidecar.adminEnvironment" $) }}
{{- fail (printf "RAG_SIDECAR_ADMIN__%s in the environment takes the port from where probes, Service and PodMonitor look for it: set config.admin.%s instead" (upper $name) $name) }}
{{- end }}
{{- end }}
{{- range .Values.env }}{{ if eq .name "RAG_SIDECAR_ADMIN__HOST" }}{{ $listens = merge (dict "host" .value) $listens }}{{ end }}{{ end }}
{{- include "rag-sidecar.reachable" (dict "section" "config.admin" "admin" $listens) }}
{{- range $section := list "results" "labels" }}
{{- $topic := (get $.Values.config $section | default dict).topic | default "" }}
{{- if and $topic (include "rag-sidecar.reads" (dict "root" $ "topic" $topic)) }}
{{- fail (printf "config.%s.topic %q is among config.receive.topics: %s would be read back in" $section $topic $section) }}
{{- end }}
{{- end }}
{{- $receive := .Values.config.receive | default dict }}
{{- if and $receive.topic_pattern $receive.topics (ne (toString $receive.topics) "[otlp_spans]") }}
{{- fail "config.receive has topics and topic_pattern: name one of them" }}
{{- end }}
{{- $dead := $receive.dead_letter_topic | default "" }}
{{- if and $dead (include "rag-sidecar.reads" (dict "root" . "topic" $dead)) }}
{{- fail (printf "config.receive.dead_letter_topic %q is among the topics that are read: records would go in circles" $dead) }}
{{- end }}
{{- $results := .Values.config.results | default dict }}
{{- if and $dead (eq $dead ($results.topic | default "")) (not $results.bootstrap_servers) }}
{{- fail (printf "config.receive.dead_letter_topic %q is config.results.topic too: name another" $dead) }}
{{- end }}
{{- $labels := (.Values.config.labels | default dict).topic | default "" }}
{{- if and $labels (eq $labels $dead) }}
{{- fail (printf "config.receive.dead_letter_topic %q is config.labels.topic too: name another" $dead) }}
{{- end }}
{{- if and $labels (eq $labels ($results.topic | default "")) (not $results.bootstrap_servers) }}
{{- fail (printf "config.labels.topic %q is config.results.topic too: name another" $labels) }}
{{- end }}
{{- $page := .Values.config.status_page | default dict }}
{{- if and $page.show_text (ne (toString $page.enabled) "false") (not (or $login .Values.metrics.authSecret)) }}
{{- fail "config.status_page.show_text would show questions and answers to whoever reaches the pods: set metrics.authSecret, or config.admin.bearer_token_file or basic_username" }}
{{- end }}
{{- if and .Values.podDisruptionBudget.enabled (has (toString .Values.podDisruptionBudget.maxUnavailable) (list "0" "0%")) }}
{{- fail "podDisruptionBudget.maxUnavailable is 0, so that no node with a pod of this release could be drained: set 1 or more, or podDisruptionBudget.enabled to false" }}
{{- end }}
{{- if and (not .Values.networkPolicy.enabled) (or .Values.networkPolicy.metricsFrom .Values.networkPolicy.egress) }}
{{- fail "networkPolicy has rules and networkPolicy.enabled is off: enable it, or remove them" }}
{{- end }}
{{- if .Values.probe.enabled }}
{{- if not .Values.probe.casesConfigMap }}
{{- fail "probe.enabled is on without probe.casesConfigMap: name the ConfigMap that holds cases.jsonl" }}
{{- end }}
{{- if not (and .Values.probe.config.service (dig "request" "url" "" .Values.probe.config)) }}
{{- fail "probe.enabled is on without probe.config.service and probe.config.request.url: say whom to ask" }}
{{- end }}
{{- include "rag-sidecar.reachable" (dict "section" "probe.config.admin" "admin" (.Values.probe.config.admin | default dict)) }}
{{- end }}
{{- $volumes := list }}
{{- range .Values.extraVolumes }}{{- $volumes = append $volumes .name }}{{- end }}
{{- range .Values.extraVolumeMounts }}
{{- if not (has .name $volumes) }}
{{- fail (printf "extraVolumeMounts names the volume %q, which is not in extraVolumes" .name) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Fails where a pod would listen where nobody asks. Of section and admin, its settings. */}}
{{- define "rag-sidecar.reachable" -}}
{{- if eq (toString .admin.port) "0" }}
{{- fail (printf "%s.port is 0, which takes a port that no Service finds, nor a probe: give one" .section) }}
{{- end }}
{{- if regexMatch "^(127\\.|localhost$|::1$)" (.admin.host | default "") }}
{{- fail (printf "%s.host %q is an address of the pod's own, where neither the kubelet's probes nor Prometheus get an answer: leave it out" .section .admin.host) }}
{{- end }}
{{- end }}
