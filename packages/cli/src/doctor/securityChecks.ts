import type { ParleyConfig } from "../config/ParleyConfig.ts"
import {
  type SecurityWarning,
  unboundSessions,
  unencryptedConnections,
  weakSecrets
} from "../config/securityWarnings.ts"
import { type Check, note, ok } from "./Check.ts"

export const notes = (name: string, warnings: ReadonlyArray<SecurityWarning>): ReadonlyArray<Check> =>
  warnings.map(({ advice, detail, setting }) => note(name, `${setting}: ${detail}`, advice))

/** Settings that work but are not safe. A weak secret in production is listed among the refusals instead. */
export const securityChecks = (config: ParleyConfig): ReadonlyArray<Check> => {
  const secrets = weakSecrets(config)
  const connections = unencryptedConnections(config)
  return [
    ...(secrets.length === 0 ? [ok("secrets", "none that is short or plainly guessed")] : []),
    ...(config.production ? [] : notes("secrets", secrets)),
    ...notes("sessions", unboundSessions(config)),
    ...(config.database._tag === "Server" && connections.length === 0
      ? [ok("database TLS", "asked for, or not needed on this machine")]
      : notes("database TLS", connections))
  ]
}
