import { Schema } from "effect"

/** No key is configured with which secrets could be sealed. */
export class SecretsNotConfigured extends Schema.TaggedError<SecretsNotConfigured>()("SecretsNotConfigured", {}) {
  readonly code = "secrets_not_configured"
  override get message() {
    return "This server has no key to encrypt secrets with (PARLEY_ENCRYPTION_KEY)."
  }
}

/**
 * The reason why a sealed secret cannot be opened. `key`: no key with its id is configured; `content`: the secret was
 * changed, was sealed for another context, or is not a sealed secret.
 */
export const SECRET_PROBLEMS = ["key", "content"] as const

/** A sealed secret cannot be opened. */
export class SecretUnreadable extends Schema.TaggedError<SecretUnreadable>()("SecretUnreadable", {
  problem: Schema.Literals(SECRET_PROBLEMS)
}) {
  readonly code = "secret_unreadable"
  override get message() {
    return this.problem === "key"
      ? "The secret was encrypted with a key that this server does not have."
      : "The secret cannot be decrypted: it was changed, or belongs to something else."
  }
}

/** The keys for secrets are invalid. Contains every problem, but no value. */
export class InvalidSecretKeys extends Schema.TaggedError<InvalidSecretKeys>()("InvalidSecretKeys", {
  problems: Schema.Array(Schema.String)
}) {
  readonly code = "invalid_secret_keys"
  override get message() {
    return `The keys for secrets are not usable: ${this.problems.join("; ")}.`
  }
}
