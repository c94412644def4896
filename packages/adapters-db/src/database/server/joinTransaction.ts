import type { CallersTransaction } from "@parley/core"
import { TransactionNotJoined } from "@parley/core/adapter"
import { Effect, Exit, Semaphore } from "effect"
import type { DatabaseError, Row } from "../Database.ts"
import type { Connection } from "../Driver.ts"
import { isSelect, rowsOf, wrapped } from "./joinedRows.ts"
import { MEANING, setForTransaction } from "../sessionSettings.ts"
import { toDatabaseError } from "../toDatabaseError.ts"
import type { Transaction } from "../Transaction.ts"

/**
 * The settings of the application's transaction that Parley changes while it takes part; they are restored afterwards.
 */
const KEPT = ["role", "parley.user_id", "lock_timeout", ...MEANING.map(([name]) => name)]

/** The longest wait for a lock if the application's transaction sets no limit: a client waits for the answer. */
const LOCK_MS = 3_000

const SAVEPOINT = "parley_join"

const KEPT_TEXT = `SELECT pg_catalog.json_build_array(${KEPT.map(
  (name) => `pg_catalog.current_setting('${name}', true)`
).join(", ")})::text AS kept`

/**
 * The reasons why a savepoint fails, by SQLSTATE (PostgreSQL 17, appendix A): there is no transaction, or it has failed
 * already.
 */
const NOT_JOINED: Readonly<Record<string, TransactionNotJoined["problem"]>> = { "25P01": "not-open", "25P02": "failed" }

const connectionOf = (client: CallersTransaction): Connection => {
  const send = (text: string, params: ReadonlyArray<unknown>) =>
    Effect.tryPromise({ try: async () => (await client.query(text, [...params])).rows, catch: toDatabaseError })
  const query = <R extends Row>(text: string, params: ReadonlyArray<unknown>) =>
    isSelect(text)
      ? Effect.map(send(wrapped(text), params), (rows) => rowsOf<R>(rows))
      : (send(text, params) as Effect.Effect<ReadonlyArray<R>, DatabaseError>)
  return {
    query,
    script: (text) => send(text, []) as Effect.Effect<ReadonlyArray<Row>, DatabaseError>,
    begin: "",
    execute: () => Effect.die(new Error("A transaction of the caller's runs nothing outside itself.")),
    broken: () => false,
    discard: () => undefined
  }
}

/** Reads the current settings of the application's transaction. */
const keep = (connection: Connection) =>
  Effect.map(connection.script(KEPT_TEXT), ([row]) => {
    const values = JSON.parse(String(row?.["kept"])) as ReadonlyArray<string | null>
    return KEPT.map((name, place) => [name, values[place] ?? ""] as const)
  })

const enter = (kept: ReadonlyArray<readonly [string, string]>): string => {
  const waitsForEver = kept.some(([name, value]) => name === "lock_timeout" && value === "0")
  return setForTransaction([
    ...MEANING,
    ...(waitsForEver ? [["lock_timeout", LOCK_MS] as const] : []),
    ["role", "parley_service"],
    ["parley.user_id", ""]
  ])
}

/**
 * Runs `use` as part of a transaction of the embedding application, between a savepoint and its release. Inside,
 * Parley's role and settings apply; they are restored before the call succeeds. If the call fails, the rollback to the
 * savepoint restores the settings and undoes the changes. The call cannot be interrupted, because a half-sent statement
 * would leave the application's connection in an unknown state.
 */
export const joinTransaction = <A, E, R>(
  client: CallersTransaction,
  schema: string,
  use: (transaction: Transaction) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | DatabaseError | TransactionNotJoined, R> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const connection = connectionOf(client)
      yield* Effect.mapError(connection.script(`SAVEPOINT ${SAVEPOINT}`), notJoined)
      const transaction: Transaction = {
        connection,
        turn: Semaphore.makeUnsafe(1),
        role: { name: "parley_service" },
        open: true,
        doomed: undefined,
        afterCommit: []
      }
      const exit = yield* Effect.exit(
        Effect.gen(function* () {
          const kept = yield* keep(connection)
          yield* connection.script(enter(kept))
          yield* connection.script(`SET CONSTRAINTS ${schema}.new_account_proven DEFERRED`)
          const answer = yield* use(transaction)
          if (transaction.doomed !== undefined) return yield* transaction.doomed
          // Otherwise this check would run at the application's COMMIT, where the role is a different one.
          yield* connection.script(`SET CONSTRAINTS ${schema}.new_account_proven IMMEDIATE`)
          yield* connection.script(setForTransaction(kept))
          yield* connection.script(`RELEASE SAVEPOINT ${SAVEPOINT}`)
          return answer
        })
      )
      transaction.open = false
      if (Exit.isFailure(exit)) {
        // If the rollback fails as well, the connection is lost with its transaction, or the transaction can only be
        // rolled back.
        const back = connection.script(`ROLLBACK TO SAVEPOINT ${SAVEPOINT}`)
        yield* Effect.ignore(Effect.andThen(back, connection.script(`RELEASE SAVEPOINT ${SAVEPOINT}`)))
      }
      // The driver does not report the application's commit, so the actions run now. A listener that acts before the
      // commit finds nothing, and looks again later.
      else for (const action of transaction.afterCommit) action()
      return yield* exit
    })
  )

const notJoined = (error: DatabaseError): DatabaseError | TransactionNotJoined => {
  const problem = NOT_JOINED[error.sqlState ?? ""]
  return problem === undefined ? error : new TransactionNotJoined({ problem })
}
