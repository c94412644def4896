import { isThisMachine } from "@parley/core/adapter"

/**
 * Whether keys may be fetched from an address: https, or plain http on this machine (for development and tests), with
 * neither a password nor a fragment in it. Over plain http anybody on the way could put keys of their own in.
 */
export const isProviderAddress = (address: string): boolean => {
  const url = URL.parse(address)
  if (url === null) return false
  const { hostname, password, protocol, username } = url
  const isPrivate = protocol === "https:" || (protocol === "http:" && isThisMachine(hostname))
  return isPrivate && username === "" && password === "" && !address.includes("#")
}

/** Whether an address names an issuer whose description can be fetched (OpenID Connect Discovery 1.0, 3): it has no query. */
export const isIssuerAddress = (address: string): boolean => isProviderAddress(address) && !address.includes("?")
