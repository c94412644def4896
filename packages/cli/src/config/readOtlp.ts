import { Redacted } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

const WEB = ["https:", "http:"]
/** The addresses of a collector: of all signals, and of one. */
const ENDPOINTS = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
]
const LONGEST_TIMEOUT_MS = 600_000
/** Of the variables below, those that OpenTelemetry lets default to another value than ours. */
const DEFAULTS = {
  OTEL_SERVICE_NAME: "parley",
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp"
}

/**
 * The settings of OpenTelemetry under its own names (OpenTelemetry specification 1.50, environment variables); undefined
 * if no collector is named, or telemetry is disabled. Headers may hold a token, so all values are redacted.
 */
export const readOtlp = (read: EnvironmentReader) => {
  const isNamed = ENDPOINTS.map((name) => read.url(name, WEB)).some((url) => url !== undefined)
  const timeoutMs = read.integer("OTEL_EXPORTER_OTLP_TIMEOUT", 1, LONGEST_TIMEOUT_MS) ?? 10_000
  const contents = read.flag("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")
  const isDisabled = read.flag("OTEL_SDK_DISABLED")
  if (!isNamed || isDisabled) return undefined
  const given = read.set.filter((name) => name.startsWith("OTEL_")).map((name) => [name, read.text(name) ?? ""])
  const variables: Readonly<Record<string, string>> = { ...DEFAULTS, ...Object.fromEntries(given) }
  return { variables: Redacted.make(variables), timeoutMs, contents }
}
