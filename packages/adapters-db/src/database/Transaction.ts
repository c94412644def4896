import { currentTraceparent } from "@parley/core/adapter"
import { Effect, Exit, Semaphore } from "effect"
import { DatabaseError, type Row, type Sql } from "./Database.ts"
import { type DatabaseRole, enterRole, sameRole } from "./DatabaseRole.ts"
import type { Connection, Driver } from "./Driver.ts"
import { CurrentPurpose } from "./limits.ts"
import { traceForTransaction } from "./traces.ts"

/** A transaction in progress. Its BEGIN and changes of role travel with the first statement that needs them. */
export interface Transaction {
  readonly connection: Connection
  /** Statements of concurrent fibers go one after another, each with its own role. */
  readonly turn: Semaphore.Semaphore
  /** The role that statements run as now; undefined before BEGIN. */
  role: DatabaseRole | undefined
  open: boolean
  /** Why it can only be rolled back. */
  doomed: DatabaseError | undefined
  readonly afterCommit: Array<() => void>
}

const enter = (transaction: Transaction, role: DatabaseRole): Effect.Effect<void, DatabaseError> =>
  Effect.suspend(() => {
    if (sameRole(transaction.role, role)) return Effect.void
    const isBegun = transaction.role !== undefined
    const script = enterRole(transaction.connection.begin, transaction.role, role)
    transaction.role = role
    if (isBegun) return Effect.asVoid(transaction.connection.script(script))
    return Effect.flatMap(currentTraceparent, (traceparent) =>
      transaction.connection.script(
        traceparent === undefined ? script : `${script}; ${traceForTransaction(traceparent)}`
      )
    )
  })

const ended = new Error("A statement was sent after its transaction had ended.")

/** Sends statements one after another, as `role`. Any failure dooms the transaction, as in Postgres itself. */
const inTurn = <A>(
  transaction: Transaction,
  role: DatabaseRole,
  send: Effect.Effect<A, DatabaseError>
): Effect.Effect<A, DatabaseError> =>
  transaction.turn.withPermit(
    Effect.suspend(() => {
      if (!transaction.open) return Effect.die(ended)
      if (transaction.doomed !== undefined) return Effect.fail(transaction.doomed)
      return Effect.andThen(enter(transaction, role), send).pipe(
        Effect.tapError((error) => Effect.sync(() => (transaction.doomed ??= error))),
        Effect.onInterrupt(() => Effect.sync(() => (transaction.doomed ??= interrupted())))
      )
    })
  )

/** The statements of `transaction`, sent as `role`. */
export const sqlThrough = (transaction: Transaction, role: DatabaseRole): Sql => ({
  query: <R extends Row>(text: string, params: ReadonlyArray<unknown> = []) =>
    inTurn(transaction, role, transaction.connection.query<R>(text, params))
})

/** Scripts within `transaction`, sent as `role`. */
export const scriptThrough = (transaction: Transaction, role: DatabaseRole) => (text: string) =>
  inTurn(transaction, role, transaction.connection.script(text))

const interrupted = () =>
  new DatabaseError({ sqlState: "25P02", cause: new Error("A statement of this transaction was interrupted.") })

/** The error of a unit of work in which a part failed and the failure was ignored. */
export const failedInside = () =>
  new DatabaseError({
    sqlState: "25P02",
    cause: new Error("A part of this unit of work failed, so that the whole was rolled back.")
  })

/** A COMMIT that was cancelled before it began leaves its transaction open, which the next borrower must not find. */
const commit = (connection: Connection) =>
  Effect.tapError(connection.script("COMMIT"), () => Effect.sync(connection.discard))

const finish = <A, E>(transaction: Transaction, exit: Exit.Exit<A, E>): Effect.Effect<A, E | DatabaseError> =>
  transaction.turn.withPermit(
    Effect.suspend(() => {
      transaction.open = false
      const { connection, doomed } = transaction
      const begun = transaction.role !== undefined
      if (Exit.isSuccess(exit) && doomed === undefined) {
        return begun ? Effect.andThen(commit(connection), exit) : exit
      }
      const answer: Exit.Exit<A, E | DatabaseError> = Exit.isSuccess(exit) ? Exit.fail(doomed ?? failedInside()) : exit
      if (!begun || connection.broken()) return answer
      return Effect.matchEffect(connection.script("ROLLBACK"), {
        onSuccess: () => answer,
        onFailure: () => {
          connection.discard()
          return answer
        }
      })
    })
  )

/**
 * Runs `use` in a transaction: committed if it succeeds, rolled back if it fails or is interrupted. COMMIT and ROLLBACK
 * themselves cannot be interrupted. A connection whose state is unknown afterwards is closed.
 */
export const runTransaction = <A, E, R>(
  driver: Driver,
  use: (transaction: Transaction) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | DatabaseError, R> =>
  Effect.flatMap(CurrentPurpose, (purpose) => {
    const afterCommit: Array<() => void> = []
    const held = driver.withConnection(purpose, (connection) =>
      Effect.uninterruptibleMask((restore) => {
        const transaction: Transaction = {
          connection,
          turn: Semaphore.makeUnsafe(1),
          role: undefined,
          open: true,
          doomed: undefined,
          afterCommit
        }
        return Effect.flatMap(Effect.exit(restore(use(transaction))), (exit) => finish(transaction, exit))
      })
    )
    return Effect.tap(held, () =>
      Effect.sync(() => {
        for (const action of afterCommit) action()
      })
    )
  })
