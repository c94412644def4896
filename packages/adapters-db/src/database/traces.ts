import { setForTransaction } from "./sessionSettings.ts"

/** For accounts, or with "*" for all, the span to which their changes belong, as a `traceparent`; undefined if none. */
export type Traces = Readonly<Record<string, string>> | undefined

const SETTING = "parley.traces"

/**
 * The end of a statement without FROM that gives it the traces in this parameter, before its own functions run
 * (`0043_traces.sql`).
 */
export const tracedBy = (parameter: string): string =>
  ` FROM (SELECT pg_catalog.set_config('${SETTING}', ${parameter}, true) OFFSET 0) traced`

/** A script that gives a transaction one trace for all its changes. */
export const traceForTransaction = (traceparent: string): string =>
  setForTransaction([[SETTING, JSON.stringify({ "*": traceparent })]])
