import { setForTransaction } from "./sessionSettings.ts"

/**
 * The trace spans to which changes belong, as a `traceparent` for each account, or under "*" for all accounts;
 * undefined without tracing.
 */
export type Traces = Readonly<Record<string, string>> | undefined

const SETTING = "parley.traces"

/**
 * Returns the end of a statement without FROM. It sets the traces in a parameter before the statement's own functions
 * run (`0043_traces.sql`).
 */
export const tracedBy = (parameter: string): string =>
  ` FROM (SELECT pg_catalog.set_config('${SETTING}', ${parameter}, true) OFFSET 0) traced`

/** Returns the script that sets one trace for all changes of a transaction. */
export const traceForTransaction = (traceparent: string): string =>
  setForTransaction([[SETTING, JSON.stringify({ "*": traceparent })]])
