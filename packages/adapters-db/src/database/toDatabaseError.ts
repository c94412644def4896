import { DatabaseError } from "./Database.ts"

/** The part of a Postgres error report that both drivers return. */
interface ErrorReport {
  readonly severity?: unknown
  readonly code?: unknown
  readonly constraint?: unknown
  readonly cause?: unknown
}

/** The server's own report, which query builders wrap into errors of their own. */
const reportOf = (cause: unknown): ErrorReport => {
  let report = (cause ?? {}) as ErrorReport
  for (let depth = 0; depth < 3 && typeof report.severity !== "string" && report.cause instanceof Error; depth++) {
    report = report.cause as ErrorReport
  }
  return report
}

/**
 * A driver's rejection as a `DatabaseError`. Only errors that the server itself reported have a SQLSTATE: the `code` of
 * a socket error (`ECONNRESET`, `EPIPE`) is not one.
 */
export const toDatabaseError = (cause: unknown): DatabaseError => {
  if (cause instanceof DatabaseError) return cause
  const { severity, code, constraint } = reportOf(cause)
  if (typeof severity !== "string" || typeof code !== "string") return new DatabaseError({ cause })
  return new DatabaseError({
    sqlState: code,
    ...(typeof constraint === "string" ? { constraint } : {}),
    cause
  })
}

/** True if the server itself reported it. */
export const isReported = (cause: unknown): boolean => typeof reportOf(cause).severity === "string"

/** True if the connection is gone or its state unknown: no report from the server, or a fatal one. */
export const isConnectionLost = (cause: unknown): boolean => {
  const { severity } = (cause ?? {}) as ErrorReport
  return severity !== "ERROR"
}

/** True if the server takes no writes: a standby, or a primary that just became one. Others may be elsewhere by now. */
export const isReadOnly = (cause: unknown): boolean => toDatabaseError(cause).sqlState === "25006"
