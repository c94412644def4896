import { Schema } from "effect"

/** An operator has blocked the person. */
export class UserBlocked extends Schema.TaggedError<UserBlocked>()("UserBlocked", {
  /** The id of the blocked person; only for logs. */
  userId: Schema.String
}) {
  readonly code = "blocked"
  override get message() {
    return "Your access has been blocked. Contact the operator of this service."
  }
}
