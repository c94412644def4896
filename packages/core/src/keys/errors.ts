import { Schema } from "effect"

/** The reasons why a key is refused: only for logs, because the client gets the same answer for all. */
export const SERVICE_KEY_PROBLEMS = ["malformed", "unknown", "expired", "revoked"] as const

/** The request of a service contains no valid key. */
export class ServiceKeyInvalid extends Schema.TaggedError<ServiceKeyInvalid>()("ServiceKeyInvalid", {
  problem: Schema.Literals(SERVICE_KEY_PROBLEMS)
}) {
  readonly code = "service_key_invalid"
  override get message() {
    return 'Send one header "Authorization: Bearer <key>" with a service key that is neither expired nor revoked. The operator creates keys with "parley keys create".'
  }
}

/** No service key has this id. */
export class ServiceKeyNotFound extends Schema.TaggedError<ServiceKeyNotFound>()("ServiceKeyNotFound", {
  id: Schema.String
}) {
  readonly code = "service_key_not_found"
  override get message() {
    return `No service key has the id ${JSON.stringify(this.id)}. "parley keys list" prints all ids.`
  }
}

/** The key is expired or revoked. */
export class ServiceKeyInactive extends Schema.TaggedError<ServiceKeyInactive>()("ServiceKeyInactive", {
  id: Schema.String,
  state: Schema.Literals(["expired", "revoked"])
}) {
  readonly code = "service_key_inactive"
  override get message() {
    return `The service key ${this.id} is ${this.state} and cannot be rotated. Create a new one.`
  }
}
