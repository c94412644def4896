import { Schema } from "effect"

/** Nothing is stored about such a person. */
export class UserNotFound extends Schema.TaggedError<UserNotFound>()("UserNotFound", { userId: Schema.String }) {
  readonly code = "user_not_found"
  override get message() {
    return `Nothing is stored about ${JSON.stringify(this.userId)}.`
  }
}
