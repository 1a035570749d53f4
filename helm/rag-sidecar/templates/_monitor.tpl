{{/* What /metrics asks for, and how a PodMonitor is told. */}}

{{/* The names of the settings of `admin` that are set, in the file and by the environment, each between commas. */}}
{{- define "rag-sidecar.adminSet" -}}
{{- range $name, $value := dig "admin" dict .Values.config | default dict }}{{ if $value }},{{ $name }},{{ end }}{{ end }}
{{- include "rag-sidecar.adminEnvironment" . }}
{{- end }}

{{- define "rag-sidecar.adminEnvironment" -}}
{{- range $name, $_ := .Values.secretEnv }}{{ if hasPrefix "RAG_SIDECAR_ADMIN__" $name }},{{ $name | trimPrefix "RAG_SIDECAR_ADMIN__" | lower }},{{ end }}{{ end }}
{{- range .Values.env }}{{ if hasPrefix "RAG_SIDECAR_ADMIN__" .name }},{{ .name | trimPrefix "RAG_SIDECAR_ADMIN__" | lower }},{{ end }}{{ end }}
{{- end }}

{{- define "rag-sidecar.probeAdminSet" -}}
{{- range $name, $value := dig "admin" dict .Values.probe.config | default dict }}{{ if $value }},{{ $name }},{{ end }}{{ end }}
{{- end }}

{{/* Of such names: bearer, basic, or nothing. Where both are asked for either lets in. */}}
{{- define "rag-sidecar.loginOf" -}}
{{- if or (contains ",bearer_token," .) (contains ",bearer_token_file," .) }}bearer{{ else if contains ",basic_username," . }}basic{{ end }}
{{- end }}

{{- define "rag-sidecar.schemeOf" -}}
{{- if contains ",tls_cert_file," . }}HTTPS{{ else }}HTTP{{ end }}
{{- end }}

{{/* Fails where a PodMonitor would be let in by nothing that it has. Of root, login and the section that asks for it. */}}
{{- define "rag-sidecar.monitorCheck" -}}
{{- $given := ternary .root.Values.metrics.authType "" (ne .root.Values.metrics.authSecret "") }}
{{- if and (eq .login "bearer") (ne $given "bearer") (not .root.Values.podMonitor.bearerTokenSecret) }}
{{- fail (printf "%s makes /metrics ask for a token that the PodMonitor does not have: set podMonitor.bearerTokenSecret, or metrics.authSecret and metrics.authType to bearer" .section) }}
{{- end }}
{{- if and (eq .login "basic") (ne $given "basic") }}
{{- fail (printf "%s makes /metrics ask for a password that the PodMonitor does not have: set metrics.authSecret and metrics.authType to basic, or podMonitor.enabled to false" .section) }}
{{- end }}
{{- end }}

{{/* Of root, scheme and login. */}}
{{- define "rag-sidecar.metricsEndpoint" -}}
{{- $metrics := .root.Values.metrics }}
{{- $monitor := .root.Values.podMonitor -}}
- port: metrics
  path: /metrics
  scheme: {{ .scheme | lower }}
  interval: {{ $monitor.interval }}
  scrapeTimeout: {{ $monitor.scrapeTimeout }}
  {{- if and (eq .scheme "HTTPS") $monitor.tlsConfig }}
  tlsConfig:
    {{- toYaml $monitor.tlsConfig | nindent 4 }}
  {{- else if and (eq .scheme "HTTPS") $metrics.tlsSecret }}
  tlsConfig:
    ca:
      secret:
        name: {{ $metrics.tlsSecret }}
        key: ca.crt
    serverName: {{ include "rag-sidecar.fullname" .root }}.{{ .root.Release.Namespace }}.svc
  {{- end }}
  {{- if eq .login "basic" }}
  basicAuth:
    username:
      name: {{ $metrics.authSecret }}
      key: username
    password:
      name: {{ $metrics.authSecret }}
      key: password
  {{- else if and (eq .login "bearer") $monitor.bearerTokenSecret }}
  authorization:
    type: Bearer
    credentials:
      {{- toYaml $monitor.bearerTokenSecret | nindent 6 }}
  {{- else if eq .login "bearer" }}
  authorization:
    type: Bearer
    credentials:
      name: {{ $metrics.authSecret }}
      key: token
  {{- end }}
{{- end }}
