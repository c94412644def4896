/**
 * The maximum number of characters of an address; `LONGEST_LOCAL` is that of the part before its `@` (RFC 5321,
 * 4.5.3.1).
 */
const LONGEST = 254
const LONGEST_LOCAL = 64

/**
 * Matches the part before the `@`: the unquoted form of RFC 5322, 3.4.1, with any letters (RFC 6531), without spaces,
 * control and invisible characters, and characters with a meaning in a header (quotes, brackets, commas, colons and
 * semicolons).
 */
const LOCAL = /^[^\s\p{C}"(),:;<>@[\\\]]+$/u
/** Matches a domain of two or more labels (RFC 1123, 2.1); the last label is not a number. */
const DOMAIN = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?=[a-z\d-]*[a-z])[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/

/** Returns the domain in the form of the domain name system: in lower case, with other letters in Punycode. */
const domainOf = (text: string): string | undefined => {
  const isBare = !/[\s\p{C}#%/:?@[\\\]]/u.test(text)
  const host = isBare ? URL.parse(`https://${text}/`)?.hostname : undefined
  return host !== undefined && DOMAIN.test(host) ? host : undefined
}

/**
 * Returns the normal form of an e-mail address, to which mails are sent and by which a person is known: without blanks
 * around it, in lower case and in Unicode's normal form. Undefined for a text that is not an address. Addresses with
 * different parts after a `+` are different.
 */
export const mailAddressOf = (text: string): string | undefined => {
  const sent = text.trim()
  if (sent.length > LONGEST || !sent.isWellFormed()) return undefined
  const at = sent.lastIndexOf("@")
  const local = sent.slice(0, Math.max(0, at)).toLowerCase().normalize("NFC")
  const domain = domainOf(sent.slice(at + 1).normalize("NFC"))
  const isLocal = LOCAL.test(local) && local.length <= LONGEST_LOCAL && !/^\.|\.\.|\.$/.test(local)
  if (!isLocal || domain === undefined) return undefined
  const address = `${local}@${domain}`
  return address.length <= LONGEST ? address : undefined
}
