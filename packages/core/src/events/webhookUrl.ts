/** True if a URL's host is this machine, by an unambiguous name or address. */
export const isThisMachine = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host)

/** The problem of a webhook's address, in words; undefined if it is valid. */
export const webhookUrlProblem = (address: unknown): string | undefined => {
  const url = typeof address === "string" ? URL.parse(address) : null
  if (url === null) return "expected an address that begins with https://"
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isThisMachine(url.hostname))) {
    return "expected an address that begins with https:// (http:// on this machine)"
  }
  if (url.username !== "" || url.password !== "") return "expected an address without a password in it"
  return undefined
}
