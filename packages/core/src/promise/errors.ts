import { Schema } from "effect"

/** Parley was closed: nothing is begun any more, and what ran was ended. */
export class ParleyClosed extends Schema.TaggedError<ParleyClosed>()("ParleyClosed", {}) {
  readonly code = "parley_closed"
  override get message() {
    return "This Parley is closed. Make another one with createParley."
  }
}

/** An id, a key or a bound of a page that can name nothing, on any storage. Nothing was done. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  field: Schema.String,
  expected: Schema.String
}) {
  readonly code = "invalid_input"
  override get message() {
    return `${this.field}: expected ${this.expected}.`
  }
}
