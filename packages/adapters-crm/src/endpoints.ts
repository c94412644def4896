const LOOPBACK = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * True if tokens may be sent to the address: https, or plain http on this machine (for development and tests), without
 * credentials and without a fragment (RFC 6749, 3.1 and 3.2).
 */
export const isCrmEndpoint = (address: string): boolean => {
  if (!URL.canParse(address)) return false
  const { hash, hostname, password, protocol, username } = new URL(address)
  const isPrivate = protocol === "https:" || (protocol === "http:" && LOOPBACK.test(hostname))
  return isPrivate && username === "" && password === "" && hash === "" && !address.endsWith("#")
}
