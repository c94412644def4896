{{- define "parley.labels" -}}
app.kubernetes.io/name: parley
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "parley.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "parley.container" -}}
image: {{ .Values.image }}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities:
    drop: ["ALL"]
envFrom:
  - configMapRef:
      name: {{ .Release.Name }}
  - secretRef:
      name: {{ .Values.secret }}
volumeMounts:
  - name: tmp
    mountPath: /tmp
{{- end }}

{{- define "parley.volumes" -}}
- name: tmp
  emptyDir:
    medium: Memory
    sizeLimit: 256Mi
{{- end }}
