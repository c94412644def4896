import type { Row } from "./Database.ts"
import type { Limits } from "./limits.ts"
import { quoteLiteral } from "./quoting.ts"

/**
 * Settings on which the meaning of statements and answers depends, and which a server, database or login may have
 * changed. They are set for each transaction, never for a session, because a pooler shares sessions.
 */
export const MEANING = [
  ["DateStyle", "ISO"],
  ["IntervalStyle", "postgres"],
  ["TimeZone", "UTC"],
  ["extra_float_digits", "1"],
  ["search_path", "pg_catalog, pg_temp"],
  // Not of meaning but of time: compiling a statement takes longer than any of ours runs.
  ["jit", "off"]
] as const

type Settings = ReadonlyArray<readonly [name: string, value: string | number]>

const setLocal = (settings: Settings): string =>
  settings.map(([name, value]) => `SET LOCAL ${name} = ${value}`).join("; ")

/**
 * Sets all of them for the transaction in one statement that returns neither row nor column: separate statements would
 * cost a process more than its own queries. Each name is qualified, since no search path can be trusted.
 */
export const setForTransaction = (settings: Settings): string => {
  const set = ([name, value]: Settings[number]) =>
    `pg_catalog.set_config('${name}', ${quoteLiteral(String(value))}, true)`
  return `SELECT WHERE pg_catalog.concat(${settings.map(set).join(", ")}) IS NULL`
}

const bounds = ({ statementMs, lockMs, silenceMs }: Limits) =>
  [
    ["statement_timeout", statementMs],
    ["lock_timeout", lockMs],
    ["idle_in_transaction_session_timeout", silenceMs]
  ] as const

const ISOLATED = "BEGIN ISOLATION LEVEL READ COMMITTED"

/** Begins a transaction within `limits`, in one round trip. */
export const beginWithin = (limits: Limits): string => {
  const known = begins.get(limits)
  if (known !== undefined) return known
  const text = `${ISOLATED}; ${setForTransaction([...bounds(limits), ...MEANING])}`
  begins.set(limits, text)
  return text
}

/** The texts by their limits; there is one for each purpose. */
const begins = new WeakMap<Limits, string>()

/** The same for an engine in this process, which has one session and no clock of its own. */
export const BEGIN_EMBEDDED = ISOLATED

/** The same transaction as one that reads a single state of the database. */
export const snapshotOf = (begin: string): string =>
  begin.replace(ISOLATED, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

/** Run once when an engine in this process has started. */
export const EMBEDDED_SESSION = MEANING.map(([name, value]) => `SET ${name} = ${value}`).join("; ")

/** Statements that Postgres refuses inside a transaction. */
const NEVER_INSIDE = /\b(CONCURRENTLY|VACUUM|(CREATE|DROP) (DATABASE|TABLESPACE)|ALTER SYSTEM)\b/i

/**
 * A script that may hold its own BEGIN and COMMIT, within `limits`: until its first COMMIT. Postgres runs the statements
 * of one message as a transaction, which a BEGIN in it continues.
 */
export const scriptWithin = (limits: Limits, script: string): string =>
  NEVER_INSIDE.test(script) ? script : `${setLocal([...bounds(limits), ...MEANING])}; ${script}`

/** True if a statement cannot be put into a transaction. */
export const standsAlone = (text: string): boolean => NEVER_INSIDE.test(text)

/** Asks a session for its settings. SHOW takes no snapshot, so that a BEGIN with an isolation level may follow. */
export const PROBE = "SHOW default_transaction_isolation; SHOW DateStyle; SHOW extra_float_digits; SHOW search_path"

/** True if the rows of `PROBE` show that statements sent alone mean the same in this session as in transactions. */
export const isPlainSession = (rows: ReadonlyArray<Row>): boolean => {
  const settings: Row = Object.assign({}, ...rows)
  return (
    settings["default_transaction_isolation"] === "read committed" &&
    String(settings["DateStyle"]).startsWith("ISO") &&
    Number(settings["extra_float_digits"]) >= 1 &&
    !/pg_catalog/i.test(String(settings["search_path"]))
  )
}
