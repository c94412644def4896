import { Effect } from "effect"
import { SecretsNotConfigured, SecretUnreadable } from "./errors.ts"
import { SecretBox } from "./SecretBox.ts"

/** For servers without a key: sealing and opening fail. */
export const noSecrets: SecretBox["Service"] = SecretBox.of({
  sealsWith: undefined,
  seal: () => Effect.fail(new SecretsNotConfigured()),
  open: () => Effect.fail(new SecretUnreadable({ problem: "key" }))
})
