/** The most characters of an address, and of the part before its `@` (RFC 5321, 4.5.3.1). */
const LONGEST = 254
const LONGEST_LOCAL = 64

/**
 * The unquoted form of RFC 5322, 3.4.1, with any letters (RFC 6531). No space, no control and no invisible character,
 * and nothing that has a meaning in a header: quotes, brackets, commas, colons and semicolons.
 */
const LOCAL = /^[^\s\p{C}"(),:;<>@[\\\]]+$/u
/** Labels of a name (RFC 1123, 2.1), two or more, of which the last is no number. */
const DOMAIN = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?=[a-z\d-]*[a-z])[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/

/** The domain in the form of the name system: lower case, and other letters in Punycode. */
const domainOf = (text: string): string | undefined => {
  const isBare = !/[\s\p{C}#%/:?@[\\\]]/u.test(text)
  const host = isBare ? URL.parse(`https://${text}/`)?.hostname : undefined
  return host !== undefined && DOMAIN.test(host) ? host : undefined
}

/**
 * The one form of an e-mail address, to which mails are sent and under which a person is known: without blanks around it,
 * in lower case and in Unicode's normal form. Undefined for a text that is no address. A part after `+` distinguishes
 * addresses.
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
