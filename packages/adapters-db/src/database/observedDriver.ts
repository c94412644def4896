import { instruments } from "@parley/core/adapter"
import { Effect, Exit } from "effect"
import type { Connection, Driver } from "./Driver.ts"
import type { Purpose } from "./limits.ts"

/**
 * Purposes whose statements a person waits for. Statements of the others may take long: they wait for locks on purpose,
 * or read and write a lot.
 */
const AWAITED: ReadonlySet<Purpose> = new Set(["interactive", "turn", "commit"])
const SLOW_MS = 1_000
const MOST_CHARACTERS = 200

/** Scripts begin and end transactions and change roles; they contain the names of people. */
const SCRIPT = "(the beginning or the end of a transaction)"

/** The beginning of a statement, in one line. It has no values: those are parameters. */
const shown = (text: string): string => text.replaceAll(/\s+/g, " ").trim().slice(0, MOST_CHARACTERS)

/** Measures each statement, with the wait for a connection if it waits for one, and logs the slow ones. */
const observe =
  (system: string, purpose: Purpose, text: string) =>
  <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const began = performance.now()
      return Effect.onExit(statement, (exit) => {
        const durationMs = performance.now() - began
        const labels = { "db.system.name": system, "parley.purpose": purpose }
        const failed = Exit.isSuccess(exit) ? labels : { ...labels, "error.type": "failed" }
        instruments.databaseDuration.record(durationMs / 1_000, failed)
        if (durationMs < SLOW_MS || !AWAITED.has(purpose)) return Effect.void
        // With a reason it counts as a failure, of which the log takes the first one in a minute and counts the others.
        const fields = { reason: "slow", purpose, durationMs: Math.round(durationMs), statement: shown(text) }
        return Effect.annotateLogs(Effect.logWarning("A statement was slow."), fields)
      })
    })

/** The driver, whose statements are measured. */
export const observedDriver = (driver: Driver): Driver => {
  const { statementAs } = driver
  const system = driver.name === "pg" ? "postgresql" : "pglite"
  const observed = (purpose: Purpose, connection: Connection): Connection => ({
    ...connection,
    query: (text, params) => observe(system, purpose, text)(connection.query(text, params)),
    script: (text) => observe(system, purpose, SCRIPT)(connection.script(text)),
    execute: (text, params) => observe(system, purpose, text)(connection.execute(text, params))
  })
  return {
    ...driver,
    withConnection: (purpose, use) =>
      driver.withConnection(purpose, (connection) => use(observed(purpose, connection))),
    statement: (purpose, text, params) => observe(system, purpose, text)(driver.statement(purpose, text, params)),
    ...(statementAs === undefined
      ? {}
      : {
          statementAs: (purpose, role, text, params) =>
            observe(system, purpose, text)(statementAs(purpose, role, text, params))
        })
  }
}
