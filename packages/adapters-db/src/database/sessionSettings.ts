import type { Row } from "./Database.ts"
import type { Limits } from "./limits.ts"
import { quoteLiteral } from "./quoting.ts"

/**
 * Settings that change the meaning of statements and answers. A server, database or login may have changed their
 * defaults, so each transaction sets them. They are never set for a session, because a pooler shares sessions.
 */
export const MEANING = [
  ["DateStyle", "ISO"],
  ["IntervalStyle", "postgres"],
  ["TimeZone", "UTC"],
  ["extra_float_digits", "1"],
  ["search_path", "pg_catalog, pg_temp"],
  // This setting concerns only time: the compilation of a statement takes longer than any statement of Parley runs.
  ["jit", "off"]
] as const

type Settings = ReadonlyArray<readonly [name: string, value: string | number]>

const setLocal = (settings: Settings): string =>
  settings.map(([name, value]) => `SET LOCAL ${name} = ${value}`).join("; ")

/**
 * Returns the statement that sets all these settings for the transaction. It is a single statement that returns neither
 * rows nor columns, because separate statements would cost a process more than its own queries. Each name is qualified,
 * since no search path can be trusted.
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

/** Returns the script that begins a transaction within `limits`, in one round trip. */
export const beginWithin = (limits: Limits): string => {
  const known = begins.get(limits)
  if (known !== undefined) return known
  const text = `${ISOLATED}; ${setForTransaction([...bounds(limits), ...MEANING])}`
  begins.set(limits, text)
  return text
}

/** The scripts by their limits; there is one for each purpose. */
const begins = new WeakMap<Limits, string>()

/** The script that begins a transaction in an embedded engine, which has one session and no timers of its own. */
export const BEGIN_EMBEDDED = ISOLATED

/** Changes a script that begins a transaction so that the transaction reads one single state of the database. */
export const snapshotOf = (begin: string): string =>
  begin.replace(ISOLATED, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

/** The script that runs once after an embedded engine has started. */
export const EMBEDDED_SESSION = MEANING.map(([name, value]) => `SET ${name} = ${value}`).join("; ")

/** Statements that Postgres refuses inside a transaction. */
const NEVER_INSIDE = /\b(CONCURRENTLY|VACUUM|(CREATE|DROP) (DATABASE|TABLESPACE)|ALTER SYSTEM)\b/i

/**
 * Applies `limits` to a script that may contain its own BEGIN and COMMIT; they apply until its first COMMIT. Postgres
 * runs the statements of one message as one transaction, which a BEGIN among them continues.
 */
export const scriptWithin = (limits: Limits, script: string): string =>
  NEVER_INSIDE.test(script) ? script : `${setLocal([...bounds(limits), ...MEANING])}; ${script}`

/** True if a statement cannot run inside a transaction. */
export const standsAlone = (text: string): boolean => NEVER_INSIDE.test(text)

/** Reads the settings of a session. SHOW takes no snapshot, so a BEGIN with an isolation level may follow. */
export const PROBE = "SHOW default_transaction_isolation; SHOW DateStyle; SHOW extra_float_digits; SHOW search_path"

/**
 * True if the rows of `PROBE` show that a statement sent alone has the same meaning in this session as inside a
 * transaction.
 */
export const isPlainSession = (rows: ReadonlyArray<Row>): boolean => {
  const settings: Row = Object.assign({}, ...rows)
  return (
    settings["default_transaction_isolation"] === "read committed" &&
    String(settings["DateStyle"]).startsWith("ISO") &&
    Number(settings["extra_float_digits"]) >= 1 &&
    !/pg_catalog/i.test(String(settings["search_path"]))
  )
}
