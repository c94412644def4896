import { makeWebCryptoSecretBox } from "@parley/core/effect"
import { Effect } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import {
  type SecurityWarning,
  unboundSessions,
  unencryptedAddresses,
  unencryptedConnections,
  weakSecrets
} from "../config/rules/securityWarnings.ts"
import { findDevelopmentKey } from "../secrets/developmentKey.ts"
import { type Check, note, ok } from "./Check.ts"

export const notes = (name: string, warnings: ReadonlyArray<SecurityWarning>): ReadonlyArray<Check> =>
  warnings.map(({ advice, detail, setting }) => note(name, `${setting}: ${detail}`, advice))

/**
 * Reports settings that work but are not safe. In production, weak secrets and unchecked claims are refusals and not
 * listed here.
 */
export const securityChecks = (config: ParleyConfig): ReadonlyArray<Check> => {
  const secrets = weakSecrets(config)
  const connections = unencryptedConnections(config)
  return [
    ...(secrets.length === 0 ? [ok("secrets", "none that is short or plainly guessed")] : []),
    ...notes("addresses", unencryptedAddresses(config)),
    ...(config.production ? [] : [...notes("secrets", secrets), ...notes("sessions", unboundSessions(config))]),
    ...(config.database._tag === "Server" && connections.length === 0
      ? [ok("database TLS", "asked for, or not needed on this machine")]
      : notes("database TLS", connections))
  ]
}

const SET_KEY = 'Set PARLEY_ENCRYPTION_KEY to 32 random bytes, for example what "openssl rand -base64 32" prints.'
const KEY = "encryption key"

/** Checks the key that encrypts tokens of other services. It is named by its id, which reveals nothing of the key. */
export const encryptionKeyCheck = ({ dataFolder, encryptionKeys, production }: ParleyConfig): Effect.Effect<Check> =>
  Effect.gen(function* () {
    const [, ...others] = encryptionKeys
    if (encryptionKeys.length > 0) {
      const { sealsWith } = yield* Effect.orDie(makeWebCryptoSecretBox(encryptionKeys))
      return ok(KEY, `${sealsWith} encrypts${others.length === 0 ? "" : `, and ${others.length} more can decrypt`}`)
    }
    if (production) return note(KEY, "none: no bot can be connected to a CRM", SET_KEY)
    return findDevelopmentKey(dataFolder) === undefined
      ? note(KEY, "none yet: a server draws one for development into the data folder", SET_KEY)
      : note(KEY, "for development, in the data folder", SET_KEY)
  })
