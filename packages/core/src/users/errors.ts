import { Schema } from "effect"

/** No data is stored about a person with this id. */
export class UserNotFound extends Schema.TaggedError<UserNotFound>()("UserNotFound", { userId: Schema.String }) {
  readonly code = "user_not_found"
  override get message() {
    return `Nothing is stored about ${JSON.stringify(this.userId)}.`
  }
}

/** The person has erased their own account a short time ago, with this identity or with this mailbox. */
export class ErasureLimited extends Schema.TaggedError<ErasureLimited>()("ErasureLimited", {
  /** Milliseconds until the erasure is possible again. */
  retryAfterMs: Schema.Finite
}) {
  readonly code = "erasure_limited"
  override get message() {
    const days = Math.ceil(this.retryAfterMs / 86_400_000)
    return `You have deleted an account in the last 30 days. Try again in ${days} ${days === 1 ? "day" : "days"}, or ask the operator to delete this one.`
  }
}
