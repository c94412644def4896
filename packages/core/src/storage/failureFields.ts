/** What may be logged of a failure: names and codes of our own and of the database, never the text of another. */
export interface FailureFields extends Readonly<Record<string, unknown>> {
  readonly failure: string
  /** Port and method, for example `CreditLedger.reserve`. */
  readonly operation?: string
  /** Postgres' five characters for why it refused. */
  readonly sqlState?: string
  /** The constraint of our schema that was broken. */
  readonly constraint?: string
}

const isName = (value: unknown, form: RegExp): value is string => typeof value === "string" && form.test(value)

/** What a database adapter names of a refusal, where it is behind a failure or is it. */
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
  const { _tag, name, operation } = Object(error) as { readonly [field: string]: unknown }
  const failure = [_tag, name].find((text) => isName(text, /^\w{1,100}$/)) ?? "unknown"
  return {
    failure: String(failure),
    ...(isName(operation, /^[\w.]{1,100}$/) ? { operation } : {}),
    ...databaseFields(error)
  }
}
