import { Effect } from "effect"
import { SecretsNotConfigured, SecretUnreadable } from "./errors.ts"
import { SecretBox } from "./SecretBox.ts"

/** Where no key is configured: nothing is sealed, and nothing opens. */
export const noSecrets: SecretBox["Service"] = SecretBox.of({
  sealsWith: undefined,
  seal: () => Effect.fail(new SecretsNotConfigured()),
  open: () => Effect.fail(new SecretUnreadable({ problem: "key" }))
})
