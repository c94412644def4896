import { Schema } from "effect"

/**
 * A transaction of the caller's own on the database that Parley runs on: begun by the caller, and committed or rolled back
 * by the caller. A `pg` client in a transaction is one as it is; of a query builder, whatever runs a text with `$1`, `$2` in
 * it on the connection of its transaction. Use it for one thing at a time: await each call.
 */
export interface CallersTransaction {
  query(text: string, values: Array<unknown>): Promise<{ readonly rows: ReadonlyArray<object> }>
}

const EXPLANATIONS = {
  "not-open": "The client is in no transaction. Send BEGIN on it first, and COMMIT after.",
  failed:
    "A statement of the transaction failed before, so that it can only be rolled back. Roll it back, and begin anew.",
  "not-supported":
    "Only a Postgres server takes part in transactions of the caller's. The embedded database and the stores in memory do not: set a database URL, or a pool."
}

/** What was asked to be part of a transaction of the caller's cannot be. Nothing was done. */
export class TransactionNotJoined extends Schema.TaggedError<TransactionNotJoined>()("TransactionNotJoined", {
  problem: Schema.Literals(["not-open", "failed", "not-supported"])
}) {
  readonly code = "transaction_not_joined"
  override get message() {
    return EXPLANATIONS[this.problem]
  }
}
