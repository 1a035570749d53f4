{{/* What the sidecar's pods and the pod of `helm test` have in common. */}}

{{- define "rag-sidecar.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "rag-sidecar.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "rag-sidecar.env" -}}
{{- range $name, $from := .Values.secretEnv }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef:
      name: {{ $from.name }}
      key: {{ $from.key }}
{{- end }}
{{- if .Values.metrics.tlsSecret }}
- name: RAG_SIDECAR_ADMIN__TLS_CERT_FILE
  value: /etc/rag-sidecar/admin-tls/tls.crt
- name: RAG_SIDECAR_ADMIN__TLS_KEY_FILE
  value: /etc/rag-sidecar/admin-tls/tls.key
{{- end }}
{{- if and .Values.metrics.authSecret (eq .Values.metrics.authType "basic") }}
- name: RAG_SIDECAR_ADMIN__BASIC_USERNAME
  valueFrom:
    secretKeyRef:
      name: {{ .Values.metrics.authSecret }}
      key: username
- name: RAG_SIDECAR_ADMIN__BASIC_PASSWORD_FILE
  value: /etc/rag-sidecar/admin-auth/password
{{- else if .Values.metrics.authSecret }}
- name: RAG_SIDECAR_ADMIN__BEARER_TOKEN_FILE
  value: /etc/rag-sidecar/admin-auth/token
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "rag-sidecar.volumeMounts" -}}
- name: config
  # The folder: a file that is mounted by subPath stays as it was when the ConfigMap changes.
  mountPath: /etc/rag-sidecar/config
  readOnly: true
- name: tmp
  mountPath: /tmp
{{- if .Values.metrics.tlsSecret }}
- name: admin-tls
  mountPath: /etc/rag-sidecar/admin-tls
  readOnly: true
{{- end }}
{{- if .Values.metrics.authSecret }}
- name: admin-auth
  mountPath: /etc/rag-sidecar/admin-auth
  readOnly: true
{{- end }}
{{- range .Values.secretFiles }}
- name: {{ printf "secret-%s" .name | trunc 63 | trimSuffix "-" }}
  mountPath: /etc/rag-sidecar/secrets/{{ .name }}
  readOnly: true
{{- end }}
{{- if .Values.modelVolume }}
- name: models
  mountPath: /models
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{- toYaml . | nindent 0 }}
{{- end }}
{{- end }}

{{- define "rag-sidecar.volumes" -}}
- name: config
  configMap:
    name: {{ include "rag-sidecar.fullname" . }}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- if .Values.metrics.tlsSecret }}
- name: admin-tls
  secret:
    secretName: {{ .Values.metrics.tlsSecret }}
    defaultMode: 0440
{{- end }}
{{- if .Values.metrics.authSecret }}
- name: admin-auth
  secret:
    secretName: {{ .Values.metrics.authSecret }}
    defaultMode: 0440
{{- end }}
{{- range .Values.secretFiles }}
- name: {{ printf "secret-%s" .name | trunc 63 | trimSuffix "-" }}
  secret:
    secretName: {{ .name }}
    defaultMode: 0440
{{- end }}
{{- with .Values.modelVolume }}
- name: models
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.extraVolumes }}
{{- toYaml . | nindent 0 }}
{{- end }}
{{- end }}
