import { fetchProviderKeys, type KeySetProblem } from "@parley/adapters-http/node"
import { Effect } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { providerKeysOf } from "../config/session/sessionProof.ts"
import { exitCodes } from "../exitCodes.ts"
import { type Check, failed, ok } from "./Check.ts"

const NAME = "session keys"

/** The remedies for settings of the identity provider that are wrong, so that waiting does not help. */
const ADVICE: Readonly<Partial<Record<KeySetProblem, string>>> = {
  "other-issuer":
    "Set PARLEY_SESSION_ISSUER as the provider writes its issuer; a slash at the end is often the difference.",
  "no-address": "Set PARLEY_SESSION_JWKS_URL to the address of the provider's keys.",
  "no-key": "Have the provider sign with RS256, ES256 or EdDSA, or set PARLEY_SESSION_SECRET if it signs with HS256."
}

/** Checks that the keys that sign sessions can be fetched; empty if sessions are signed with a secret. */
export const sessionChecks = (config: ParleyConfig): Effect.Effect<ReadonlyArray<Check>> => {
  const source = providerKeysOf(config.session)
  if (source === undefined) return Effect.succeed([])
  return fetchProviderKeys(source).pipe(
    Effect.map(({ algorithms }) => [ok(NAME, `fetched from the identity provider: ${algorithms.join(", ")}`)]),
    Effect.catchTag("KeySetUnavailable", ({ message, problem }) => {
      const advice = ADVICE[problem]
      const exit = advice === undefined ? exitCodes.unavailable : exitCodes.configuration
      const check = `Check PARLEY_SESSION_ISSUER or PARLEY_SESSION_JWKS_URL, and that the provider answers from here.`
      return Effect.succeed([failed(NAME, exit, message, advice ?? check)])
    })
  )
}
