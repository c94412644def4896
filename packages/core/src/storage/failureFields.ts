/**
 * The fields of a failure that may be logged: names and codes of Parley and of the database, never texts from outside.
 */
export interface FailureFields extends Readonly<Record<string, unknown>> {
  readonly failure: string
  /** The port and the method, for example `CreditLedger.reserve`. */
  readonly operation?: string
  /** The cell that did not answer, if the store is over several databases. */
  readonly cell?: string
  /** The code of the cause from the operating system or a library, for example `ECONNREFUSED`. */
  readonly cause?: string
  /** The SQLSTATE of Postgres: five characters that name the reason of a refusal. */
  readonly sqlState?: string
  /** The constraint of Parley's schema that was violated. */
  readonly constraint?: string
}

const isName = (value: unknown, form: RegExp): value is string => typeof value === "string" && form.test(value)

/** The maximum number of nested causes that are searched. */
const MOST_CAUSES = 6

/**
 * Returns the code of a failure from the operating system or a library, for example `ECONNREFUSED`, `ENOTFOUND`,
 * `EMFILE` or `CERT_HAS_EXPIRED`: from the failure itself, or from the nearest cause that has a code.
 */
export const causeCode = (error: unknown): string | undefined => {
  let each = error
  for (let depth = 0; each instanceof Error && depth < MOST_CAUSES; depth++) {
    const { code, severity } = each as { readonly code?: unknown; readonly severity?: unknown }
    // Errors of Postgres contain an SQLSTATE in this field.
    if (severity === undefined && isName(code, /^[A-Z][A-Z0-9_]{2,63}$/)) return code
    each = each.cause ?? (each instanceof AggregateError ? each.errors[0] : undefined)
  }
  return undefined
}

/** Returns that code as a field of a log line. */
export const causeField = (error: unknown): Pick<FailureFields, "cause"> => {
  const cause = causeCode(error)
  return cause === undefined ? {} : { cause }
}

/** Returns the SQLSTATE and the constraint of a refusal by the database, from a failure or its causes. */
export const databaseFields = (error: unknown): Pick<FailureFields, "sqlState" | "constraint"> => {
  const { cause, ...own } = Object(error) as { readonly [field: string]: unknown }
  const { constraint, sqlState } = { ...own, ...(Object(cause) as { readonly [field: string]: unknown }) }
  return {
    ...(isName(sqlState, /^[0-9A-Z]{5}$/) ? { sqlState } : {}),
    ...(isName(constraint, /^\w{1,63}$/) ? { constraint } : {})
  }
}

/** Returns the fields of a failure for a log line. */
export const failureFields = (error: unknown): FailureFields => {
  const { _tag, cell, name, operation } = Object(error) as { readonly [field: string]: unknown }
  const failure = [_tag, name].find((text) => isName(text, /^\w{1,100}$/)) ?? "unknown"
  return {
    failure: String(failure),
    ...(isName(operation, /^[\w.]{1,100}$/) ? { operation } : {}),
    ...(isName(cell, /^[a-z][a-z0-9-]{0,39}$/) ? { cell } : {}),
    ...causeField(error),
    ...databaseFields(error)
  }
}
