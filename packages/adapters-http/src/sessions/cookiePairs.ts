export interface CookiePair {
  readonly name: string
  readonly value: string
}

/** A name is a token (RFC 9110, 5.6.2), and its `=` follows at once: no browser sends another one. */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/
/** Visible ASCII but for `"`, `,`, `;` and `\`, and a pair of quotes around it (RFC 6265, 4.1.1). */
const VALUE = /^(?:"[!#-+\--:<-[\]-~]*"|[!#-+\--:<-[\]-~]*)$/

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09

/**
 * Removes spaces and tabs around the text, and nothing else. `String.trim` also removes U+00A0, which a browser sends
 * as part of a name: then a cookie that a sibling domain may set would be read as one that it must not set.
 */
const withoutBlanks = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start++
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}

const withoutQuotes = (value: string): string => (value.startsWith('"') ? value.slice(1, -1) : value)

/** The pairs of a Cookie header (RFC 6265, 4.2.1), in order. Invalid pairs are left out. */
export const cookiePairs = (header: string): ReadonlyArray<CookiePair> =>
  header.split(";").flatMap((part) => {
    const pair = withoutBlanks(part)
    const equals = pair.indexOf("=")
    const name = pair.slice(0, Math.max(0, equals))
    const value = pair.slice(equals + 1)
    return NAME.test(name) && VALUE.test(value) ? [{ name, value: withoutQuotes(value) }] : []
  })
