import { Schema } from "effect"

/**
 * The store behind a port could not answer: connection lost, disk full, a bug in a query.
 * The cause is for logs of the adapter only; its text never reaches an answer.
 */
export class StorageFailed extends Schema.TaggedError<StorageFailed>()("StorageFailed", {
  /** Port and method, for example `CreditLedger.reserve`. */
  operation: Schema.String,
  /** True if a retry of the same call may succeed (lost connection, deadlock, serialization failure). */
  retryable: Schema.Boolean,
  /** The store has been silent for a while and counts as down: milliseconds after which asking again may be worthwhile. */
  retryAfterMs: Schema.optionalKey(Schema.Int),
  /**
   * The cell that did not answer, if the store is over several databases: only its people are affected. Parley's interface
   * answers with the code `cell_unavailable`.
   */
  cell: Schema.optionalKey(Schema.String),
  cause: Schema.Defect()
}) {
  readonly code = "storage_unavailable"
  override get message() {
    return `The storage did not complete ${this.operation}.`
  }
}
