import { Effect, Exit, Semaphore } from "effect"
import { DatabaseError, type Row, type Sql } from "./Database.ts"
import type { Connection, Driver } from "./Driver.ts"
import { CurrentPurpose } from "./limits.ts"
import { quoteLiteral } from "./quoting.ts"

/** As whom a statement runs. `owner` is the login itself, for migrations and the job queue's own schema. */
export type Door =
  | { readonly role: "parley_user"; readonly userId: string }
  | { readonly role: "parley_service" }
  | { readonly role: "owner" }

/** A transaction in progress. Its BEGIN and changes of role travel with the first statement that needs them. */
export interface Transaction {
  readonly connection: Connection
  /** Statements of concurrent fibers go one after another, each with its own role. */
  readonly turn: Semaphore.Semaphore
  /** The door the connection stands at; undefined before BEGIN. */
  door: Door | undefined
  open: boolean
  /** Why it can only be rolled back. */
  doomed: DatabaseError | undefined
  readonly afterCommit: Array<() => void>
}

const scriptFor = (begins: string, from: Door | undefined, to: Door): string => {
  const begin = from === undefined ? `${begins}; ` : ""
  const role = `SET LOCAL ROLE ${to.role === "owner" ? "NONE" : to.role}`
  if (to.role === "parley_user")
    return `${begin}${role}; SELECT set_config('parley.user_id', ${quoteLiteral(to.userId)}, true)`
  return from?.role === "parley_user" ? `${role}; SELECT set_config('parley.user_id', '', true)` : begin + role
}

const sameDoor = (a: Door | undefined, b: Door): boolean =>
  a === b || (a?.role === b.role && (b.role !== "parley_user" || (a as typeof b).userId === b.userId))

const enter = (transaction: Transaction, door: Door): Effect.Effect<void, DatabaseError> =>
  Effect.suspend(() => {
    if (sameDoor(transaction.door, door)) return Effect.void
    const script = scriptFor(transaction.connection.begin, transaction.door, door)
    transaction.door = door
    return transaction.connection.script(script)
  })

const ended = new Error("A statement was sent after its transaction had ended.")

/** Sends in turn, through `door`. Whatever fails dooms the transaction, as Postgres itself does. */
const inTurn = <A>(
  transaction: Transaction,
  door: Door,
  send: Effect.Effect<A, DatabaseError>
): Effect.Effect<A, DatabaseError> =>
  transaction.turn.withPermit(
    Effect.suspend(() => {
      if (!transaction.open) return Effect.die(ended)
      if (transaction.doomed !== undefined) return Effect.fail(transaction.doomed)
      return Effect.andThen(enter(transaction, door), send).pipe(
        Effect.tapError((error) => Effect.sync(() => (transaction.doomed ??= error))),
        Effect.onInterrupt(() => Effect.sync(() => (transaction.doomed ??= interrupted())))
      )
    })
  )

/** The statements of `transaction`, sent through `door`. */
export const sqlThrough = (transaction: Transaction, door: Door): Sql => ({
  query: <R extends Row>(text: string, params: ReadonlyArray<unknown> = []) =>
    inTurn(transaction, door, transaction.connection.query<R>(text, params))
})

/** Scripts within `transaction`, sent through `door`. */
export const scriptThrough = (transaction: Transaction, door: Door) => (text: string) =>
  inTurn(transaction, door, transaction.connection.script(text))

const interrupted = () =>
  new DatabaseError({ sqlState: "25P02", cause: new Error("A statement of this transaction was interrupted.") })

/** What a unit of work answers where one of its parts failed and the failure was swallowed. */
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
      const begun = transaction.door !== undefined
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
 * Runs `use` in a transaction: committed where it succeeds, rolled back where it fails or is interrupted. COMMIT and
 * ROLLBACK themselves cannot be interrupted. A connection whose state is unknown afterwards is thrown away.
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
          door: undefined,
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
