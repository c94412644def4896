/** The fields of a failure that may be logged: names and codes of Parley and of the database, never foreign text. */
export interface FailureFields extends Readonly<Record<string, unknown>> {
  readonly failure: string
  /** Port and method, for example `CreditLedger.reserve`. */
  readonly operation?: string
  /** The cell that did not answer, if the store is over several databases. */
  readonly cell?: string
  /** The system's or a library's code of the cause, for example `ECONNREFUSED`. */
  readonly cause?: string
  /** Postgres' five characters for why it refused. */
  readonly sqlState?: string
  /** The constraint of our schema that was broken. */
  readonly constraint?: string
}

const isName = (value: unknown, form: RegExp): value is string => typeof value === "string" && form.test(value)

/** The most nested causes that are searched. */
const MOST_CAUSES = 6

/**
 * The operating system's or a library's code of a failure, for example `ECONNREFUSED`, `ENOTFOUND`, `EMFILE` or
 * `CERT_HAS_EXPIRED`: from the failure or from the nearest of its causes that has one.
 */
export const causeCode = (error: unknown): string | undefined => {
  let each = error
  for (let depth = 0; each instanceof Error && depth < MOST_CAUSES; depth++) {
    const { code, severity } = each as { readonly code?: unknown; readonly severity?: unknown }
    // Errors of Postgres have an SQLSTATE in this field.
    if (severity === undefined && isName(code, /^[A-Z][A-Z0-9_]{2,63}$/)) return code
    each = each.cause ?? (each instanceof AggregateError ? each.errors[0] : undefined)
  }
  return undefined
}

/** The same as a field of a log line. */
export const causeField = (error: unknown): Pick<FailureFields, "cause"> => {
  const cause = causeCode(error)
  return cause === undefined ? {} : { cause }
}

/** The database's names in a refusal, from a failure or its causes. */
export const databaseFields = (error: unknown): Pick<FailureFields, "sqlState" | "constraint"> => {
  const { cause, ...own } = Object(error) as { readonly [field: string]: unknown }
  const { constraint, sqlState } = { ...own, ...(Object(cause) as { readonly [field: string]: unknown }) }
  return {
    ...(isName(sqlState, /^[0-9A-Z]{5}$/) ? { sqlState } : {}),
    ...(isName(constraint, /^\w{1,63}$/) ? { constraint } : {})
  }
}

/** The fields of a failure for its log line. */
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
