{{- define "rag-sidecar.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "rag-sidecar.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- else if contains (include "rag-sidecar.name" .) .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" }}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "rag-sidecar.name" .) | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "rag-sidecar.selector" -}}
app.kubernetes.io/name: {{ include "rag-sidecar.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* Another name than that of the pods, so that neither Service nor Deployment takes the test for one of them. */}}
{{- define "rag-sidecar.testSelector" -}}
app.kubernetes.io/name: {{ include "rag-sidecar.name" . }}-test
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "rag-sidecar.labels" -}}
{{ include "rag-sidecar.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: monitoring
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "rag-sidecar.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "rag-sidecar.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "rag-sidecar.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* The two ports that settings give, with a space between. One that is null is not given. */}}
{{- define "rag-sidecar.portsOf" -}}
{{- $admin := .admin | default dict }}
{{- $port := $admin.port | default 9464 | int }}
{{- /* Beside the last port the sidecar takes the one before. */}}
{{- printf "%d %d" $port ($admin.probe_port | default (ternary 65534 (add1 $port) (eq $port 65535)) | int) }}
{{- end }}

{{- define "rag-sidecar.adminPort" -}}
{{- include "rag-sidecar.portsOf" .Values.config | splitList " " | first }}
{{- end }}

{{- define "rag-sidecar.probePort" -}}
{{- include "rag-sidecar.portsOf" .Values.config | splitList " " | last }}
{{- end }}

{{- define "rag-sidecar.adminScheme" -}}
{{- if .Values.metrics.tlsSecret }}HTTPS{{ else }}{{ include "rag-sidecar.schemeOf" (include "rag-sidecar.adminSet" .) }}{{ end }}
{{- end }}

{{/* The settings as the sidecar gets them: topic_pattern stands in place of topics, and so of those of values.yaml. */}}
{{- define "rag-sidecar.config" -}}
{{- $config := deepCopy .Values.config }}
{{- if dig "receive" "topic_pattern" "" $config }}{{- $_ := set $config "receive" (omit $config.receive "topics") }}{{- end }}
{{- toYaml $config }}
{{- end }}

{{/* Of root and topic: whether the sidecar reads it. A pattern that only Python knows matches nothing here. */}}
{{- define "rag-sidecar.reads" -}}
{{- $receive := .root.Values.config.receive | default dict }}
{{- $topics := $receive.topics | default list }}
{{- if kindIs "string" $topics }}{{- $topics = $topics | nospace | splitList "," }}{{- end }}
{{- if $receive.topic_pattern }}{{- $topics = ternary (list .topic) list (regexMatch (printf "^(?:%s)$" $receive.topic_pattern) .topic) }}{{- end }}
{{- if has .topic $topics }}yes{{ end }}
{{- end }}

{{/* The settings without those that docs/configuration.md marks as live, and without sections that are empty then. */}}
{{- define "rag-sidecar.restartConfig" -}}
{{- $config := omit (deepCopy .Values.config) "price" }}
{{- $sample := get $config "sample" | default dict }}
{{- $budget := omit (get $sample "budget" | default dict) "enabled" "low_fill" "high_fill" }}
{{- $sample = omit $sample "rate" "rules" "always_keep" "min_rate" "budget" }}
{{- if $budget }}{{- $_ := set $sample "budget" $budget }}{{- end }}
{{- $evaluate := dict }}
{{- range $key, $value := get $config "evaluate" | default dict }}
{{- $live := or (hasPrefix "most_" $key) (eq $key "timeout_seconds") }}
{{- if kindIs "map" $value }}
{{- $value = omit $value "threshold" "thresholds" "judge_threshold" "judge_rate" }}
{{- $live = or $live (empty $value) }}
{{- end }}
{{- if not $live }}{{- $_ := set $evaluate $key $value }}{{- end }}
{{- end }}
{{- $log := omit (get $config "log" | default dict) "level" }}
{{- $config = omit $config "sample" "evaluate" "log" }}
{{- range $name, $section := dict "sample" $sample "evaluate" $evaluate "log" $log }}
{{- if $section }}{{- $_ := set $config $name $section }}{{- end }}
{{- end }}
{{- toYaml $config }}
{{- end }}
