import { isThisMachine } from "@parley/core/adapter"

/** Identity providers for whose cookies, audiences and other tokens Parley has rules. */
export const SESSION_PRESETS = ["supabase", "auth0", "clerk", "keycloak", "better-auth"] as const

export type SessionPreset = (typeof SESSION_PRESETS)[number]

/**
 * True if keys may be fetched from an address: https, or plain http on this machine (for development and tests),
 * without a password and without a fragment. Over plain http an attacker in the network could replace the keys.
 */
export const isProviderAddress = (address: string): boolean => {
  const url = URL.parse(address)
  if (url === null) return false
  const { hostname, password, protocol, username } = url
  const isPrivate = protocol === "https:" || (protocol === "http:" && isThisMachine(hostname))
  return isPrivate && username === "" && password === "" && !address.includes("#")
}

/**
 * True if an address is valid as an issuer with a discovery document (OpenID Connect Discovery 1.0, 3): it has no
 * query.
 */
export const isIssuerAddress = (address: string): boolean => isProviderAddress(address) && !address.includes("?")
