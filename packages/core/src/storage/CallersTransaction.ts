import { Schema } from "effect"

/**
 * A transaction of the caller on the database that Parley uses: the caller begins it, and commits it or rolls it back.
 * A `pg` client within a transaction can be passed directly; for a query builder, pass a function that runs a statement
 * with `$1`, `$2` on the connection of its transaction. Await each call before the next one.
 */
export interface CallersTransaction {
  query(text: string, values: Array<unknown>): Promise<{ readonly rows: ReadonlyArray<object> }>
}

/** A client from a caller's pool: one connection, on which a transaction can be begun. */
export interface CallersClient extends CallersTransaction {
  /** Returns the connection to the pool; with `true` the pool closes the connection. */
  release(destroy?: boolean): void
  /**
   * Listens to the event of a `pg` client that loses its connection between two statements. Without a listener the
   * process ends.
   */
  on?(event: "error", listener: (error: Error) => void): unknown
  off?(event: "error", listener: (error: Error) => void): unknown
}

/** A pool of clients, for example a `pg.Pool`. */
export interface CallersClients<Client extends CallersClient> {
  connect(): Promise<Client>
  // A `pg.Pool` has a second signature. The compiler infers `Client` only if this type also has it.
  connect(callback: never): unknown
}

const EXPLANATIONS = {
  "not-open": "The client is in no transaction. Send BEGIN on it first, and COMMIT after.",
  failed:
    "A statement of the transaction failed before, so that it can only be rolled back. Roll it back, and begin a new one.",
  "not-supported":
    "Only a Postgres server takes part in transactions of the caller's. The embedded database and the stores in memory do not: set a database URL, or a pool."
}

/** The operation cannot be part of a caller's transaction. It had no effect. */
export class TransactionNotJoined extends Schema.TaggedError<TransactionNotJoined>()("TransactionNotJoined", {
  problem: Schema.Literals(["not-open", "failed", "not-supported"])
}) {
  readonly code = "transaction_not_joined"
  override get message() {
    return EXPLANATIONS[this.problem]
  }
}

/**
 * Another transaction changed the same credits while the caller's transaction ran (a serialization failure or a
 * deadlock). The call did nothing. In the same transaction the call would fail again: roll back, and begin a new
 * transaction.
 */
export class TransactionConflict extends Schema.TaggedError<TransactionConflict>()("TransactionConflict", {
  cause: Schema.Defect()
}) {
  readonly code = "transaction_conflict"
  readonly retryable = true
  override get message() {
    return "Another transaction changed the same rows while this one ran. Roll this transaction back, and run all of it again."
  }
}
