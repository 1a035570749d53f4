{{/* The pod that asks a RAG service known questions: no replica of the sidecar, and by its labels none of its pods. */}}

{{- define "rag-sidecar.probeSelector" -}}
app.kubernetes.io/name: {{ include "rag-sidecar.name" . }}-probe
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "rag-sidecar.probeLabels" -}}
{{ include "rag-sidecar.probeSelector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/component: probe
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "rag-sidecar.probeEnv" -}}
{{- range $name, $from := .Values.probe.secretEnv }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $from.name }}
      key: {{ $from.key }}
{{- end }}
{{- end }}

{{- define "rag-sidecar.probeAdminPort" -}}
{{- include "rag-sidecar.portsOf" .Values.probe.config | splitList " " | first }}
{{- end }}

{{- define "rag-sidecar.probeProbePort" -}}
{{- include "rag-sidecar.portsOf" .Values.probe.config | splitList " " | last }}
{{- end }}
