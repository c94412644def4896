import { DatabaseError } from "./Database.ts"

/** The part of a Postgres error report that both drivers return. */
interface ErrorReport {
  readonly severity?: unknown
  readonly code?: unknown
  readonly constraint?: unknown
  readonly cause?: unknown
}

/** Returns the server's own error report, which query builders wrap into their own errors. */
const reportOf = (cause: unknown): ErrorReport => {
  let report = (cause ?? {}) as ErrorReport
  for (let depth = 0; depth < 3 && typeof report.severity !== "string" && report.cause instanceof Error; depth++) {
    report = report.cause as ErrorReport
  }
  return report
}

/**
 * Turns a driver's rejection into a `DatabaseError`. Only errors that the server itself reported have a SQLSTATE: the
 * `code` of a socket error (`ECONNRESET`, `EPIPE`) is not one.
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

/** True if the server itself reported the error. */
export const isReported = (cause: unknown): boolean => typeof reportOf(cause).severity === "string"

/** True if the connection is lost or its state is unknown: the server reported no error, or a fatal one. */
export const isConnectionLost = (cause: unknown): boolean => {
  const { severity } = (cause ?? {}) as ErrorReport
  return severity !== "ERROR"
}

/**
 * True if the server takes no writes: it is a standby, or was one a moment ago. The primary server may be another one
 * by now.
 */
export const isReadOnly = (cause: unknown): boolean => toDatabaseError(cause).sqlState === "25006"
