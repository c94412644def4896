import { Schema } from "effect"

/**
 * The store of a port could not answer: the connection was lost, the disk is full, or a query has a bug. The cause is
 * only for logs of the adapter; its text never appears in a response.
 */
export class StorageFailed extends Schema.TaggedError<StorageFailed>()("StorageFailed", {
  /** The port and the method, for example `CreditLedger.reserve`. */
  operation: Schema.String,
  /** True if a retry of the same call may succeed (lost connection, deadlock, serialization failure). */
  retryable: Schema.Boolean,
  /** Set if the store has not answered for a while and counts as down: milliseconds after which a retry may succeed. */
  retryAfterMs: Schema.optionalKey(Schema.Int),
  /**
   * The cell that did not answer, if the store is over several databases: only people in this cell are affected.
   * Parley's HTTP interface answers with the code `cell_unavailable`.
   */
  cell: Schema.optionalKey(Schema.String),
  cause: Schema.Defect()
}) {
  readonly code = "storage_unavailable"
  override get message() {
    return `The storage did not complete ${this.operation}.`
  }
}
