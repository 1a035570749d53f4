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

{{- define "rag-sidecar.adminPort" -}}
{{- dig "admin" "port" 9464 .Values.config | int }}
{{- end }}

{{- define "rag-sidecar.probePort" -}}
{{- dig "admin" "probe_port" (add1 (include "rag-sidecar.adminPort" .)) .Values.config | int }}
{{- end }}

{{- define "rag-sidecar.adminScheme" -}}
{{- if or .Values.metrics.tlsSecret (dig "admin" "tls_cert_file" "" .Values.config) }}HTTPS{{ else }}HTTP{{ end }}
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
{{- if kindIs "map" $value }}{{- $value = omit $value "threshold" "thresholds" "judge_threshold" "judge_rate" }}{{- end }}
{{- if not (or (hasPrefix "most_" $key) (eq $key "timeout_seconds") (empty $value)) }}{{- $_ := set $evaluate $key $value }}{{- end }}
{{- end }}
{{- $log := omit (get $config "log" | default dict) "level" }}
{{- $config = omit $config "sample" "evaluate" "log" }}
{{- range $name, $section := dict "sample" $sample "evaluate" $evaluate "log" $log }}
{{- if $section }}{{- $_ := set $config $name $section }}{{- end }}
{{- end }}
{{- toYaml $config }}
{{- end }}
