import { Schema } from "effect"

/** No data is stored about a person with this id. */
export class UserNotFound extends Schema.TaggedError<UserNotFound>()("UserNotFound", { userId: Schema.String }) {
  readonly code = "user_not_found"
  override get message() {
    return `Nothing is stored about ${JSON.stringify(this.userId)}.`
  }
}
