/** Whether a URL's host is this machine, by a name or an address that can mean nothing else. */
export const isThisMachine = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host)

/** What is wrong with an address that webhooks are to be sent to, in words; undefined where nothing is. */
export const webhookUrlProblem = (address: unknown): string | undefined => {
  const url = typeof address === "string" ? URL.parse(address) : null
  if (url === null) return "expected an address that begins with https://"
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isThisMachine(url.hostname))) {
    return "expected an address that begins with https:// (http:// on this machine)"
  }
  if (url.username !== "" || url.password !== "") return "expected an address without a password in it"
  return undefined
}
