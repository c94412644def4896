import { currentTraceparent } from "@parley/core/adapter"
import { Effect, Exit, Semaphore } from "effect"
import { DatabaseError, type Row, type Sql } from "./Database.ts"
import { type DatabaseRole, enterRole, sameRole } from "./DatabaseRole.ts"
import type { Connection, Driver } from "./Driver.ts"
import { CurrentPurpose } from "./limits.ts"
import { traceForTransaction } from "./traces.ts"

/**
 * A transaction in progress. Its BEGIN and its changes of role are sent together with the first statement that needs
 * them.
 */
export interface Transaction {
  readonly connection: Connection
  /** Makes statements of concurrent fibers run one after another, each with its own role. */
  readonly turn: Semaphore.Semaphore
  /** The role under which statements run now; undefined before BEGIN. */
  role: DatabaseRole | undefined
  open: boolean
  /** The error because of which the transaction can only be rolled back. */
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

/**
 * Sends a statement as `role`, after the earlier statements of the transaction. After any failure the transaction can
 * only be rolled back, as in Postgres itself.
 */
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

/** Returns the access to `transaction` that sends its statements as `role`. */
export const sqlThrough = (transaction: Transaction, role: DatabaseRole): Sql => ({
  query: <R extends Row>(text: string, params: ReadonlyArray<unknown> = []) =>
    inTurn(transaction, role, transaction.connection.query<R>(text, params))
})

/** Returns the function that runs scripts within `transaction` as `role`. */
export const scriptThrough = (transaction: Transaction, role: DatabaseRole) => (text: string) =>
  inTurn(transaction, role, transaction.connection.script(text))

const interrupted = () =>
  new DatabaseError({ sqlState: "25P02", cause: new Error("A statement of this transaction was interrupted.") })

/** The error of a unit of work whose caller has ignored the failure of a part. */
export const failedInside = () =>
  new DatabaseError({
    sqlState: "25P02",
    cause: new Error("A part of this unit of work failed, so that the whole was rolled back.")
  })

/**
 * Discards the connection if COMMIT fails: a COMMIT that was cancelled before it began leaves the transaction open, and
 * the next borrower of the connection must not find it.
 */
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
 * Runs `use` in a transaction, which is committed if `use` succeeds, and rolled back if it fails or is interrupted.
 * COMMIT and ROLLBACK themselves cannot be interrupted. If the state of the connection is unknown afterwards, the
 * connection is closed.
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
