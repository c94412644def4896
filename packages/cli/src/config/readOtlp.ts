import { Redacted } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

const WEB = ["https:", "http:"]
/** The variables with the address of a collector: for all signals, for traces and for metrics. */
const ENDPOINTS = [
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
  "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
]
const LONGEST_TIMEOUT_MS = 600_000
/** Variables of the exporters with whole numbers: times in milliseconds, and the number of spans in a request. */
const NUMBERS = [
  "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
  "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT",
  "OTEL_METRIC_EXPORT_INTERVAL",
  "OTEL_METRIC_EXPORT_TIMEOUT",
  "OTEL_BSP_SCHEDULE_DELAY",
  "OTEL_BSP_EXPORT_TIMEOUT",
  "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"
]
const MOST = 86_400_000
const COMPRESSIONS = ["gzip", "none"]
/** Variables with one of a few words. */
const WORDS: Readonly<Record<string, ReadonlyArray<string>>> = {
  OTEL_EXPORTER_OTLP_COMPRESSION: COMPRESSIONS,
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: COMPRESSIONS,
  OTEL_EXPORTER_OTLP_METRICS_COMPRESSION: COMPRESSIONS,
  OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE: ["cumulative", "delta"]
}
/** Parley's defaults for variables whose default in OpenTelemetry differs. */
const DEFAULTS = {
  OTEL_SERVICE_NAME: "parley",
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp"
}

/** Returns a variable in the only form that the exporters accept, because they throw at any other. */
const settingOf = (read: EnvironmentReader, name: string): string => {
  const words = WORDS[name]
  if (words !== undefined) return read.choice(name, words) ?? ""
  return NUMBERS.includes(name) ? String(read.integer(name, 1, MOST)) : (read.text(name) ?? "")
}

/**
 * Reads OpenTelemetry's settings under its own names (OpenTelemetry specification 1.50, environment variables).
 * Undefined if no collector is named, or if telemetry is disabled. All values are redacted, because headers may contain
 * a token.
 */
export const readOtlp = (read: EnvironmentReader) => {
  const isNamed = ENDPOINTS.map((name) => read.url(name, WEB)).some((url) => url !== undefined)
  const timeoutMs = read.integer("OTEL_EXPORTER_OTLP_TIMEOUT", 1, LONGEST_TIMEOUT_MS) ?? 10_000
  const contents = read.flag("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")
  const isDisabled = read.flag("OTEL_SDK_DISABLED")
  if (!isNamed || isDisabled) return undefined
  const given = read.set.filter((name) => name.startsWith("OTEL_")).map((name) => [name, settingOf(read, name)])
  const variables: Readonly<Record<string, string>> = { ...DEFAULTS, ...Object.fromEntries(given) }
  return { variables: Redacted.make(variables), timeoutMs, contents }
}
