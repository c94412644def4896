/** A key for HMAC-SHA-256 has at least the size of the hash (RFC 7518, 3.2). */
const LEAST_BYTES = 32
/** The least number of characters that must remain without well-known words. */
const LEAST_UNKNOWN = 16
/** Fewer different characters than this are typed by hand: random hexadecimal digits have about fourteen. */
const LEAST_DIFFERENT = 6
/** A secret counts as a sequence if this percentage of its steps lead to the next character of the alphabet. */
const COUNTED_PERCENT = 70

/** Placeholders for secrets in examples, tutorials and `.env.example` files, and the names of the variables. */
const KNOWN_WORDS = `
  secret password passwd passphrase changeme change replace placeholder example sample default development
  production testing test local host dummy insecure unsafe parley session cron encryption encrypt token private
  public signing sign auth admin root user login letmein qwerty asdf hunter2 welcome correct horse battery staple
  todo fixme insert generate random string value bytes characters please super very long least some your here this
  that with must enough undefined null none true false postgres jwt hs256 hmac key env for the not and my
`
  .trim()
  .split(/\s+/)
  .toSorted((a, b) => b.length - a.length)

/**
 * The length of the shortest piece that the text repeats, even if the last repetition is cut short; its own length if
 * there is none.
 */
const periodOf = (text: string): number => {
  for (let period = 1; period <= text.length / 2; period++) {
    if (text.slice(period) === text.slice(0, -period)) return period
  }
  return text.length
}

/**
 * True if most characters follow, equal or precede the one before them in the alphabet, as in `abcdef` and `98765`.
 */
const isCounted = (text: string): boolean => {
  let steps = 0
  for (let index = 1; index < text.length; index++) {
    if (Math.abs(text.charCodeAt(index) - text.charCodeAt(index - 1)) <= 1) steps++
  }
  return steps * 100 >= (text.length - 1) * COUNTED_PERCENT
}

const isPattern = (text: string): boolean =>
  new Set(text).size < LEAST_DIFFERENT || periodOf(text) <= text.length / 2 || isCounted(text)

/** The letters and digits without well-known words. */
const unknownPart = (secret: string): string => {
  let rest = secret.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")
  for (const word of KNOWN_WORDS) rest = rest.replaceAll(word, "")
  return rest
}

/**
 * The reason why a secret is weak, as the end of a sentence that begins with "it": shorter than 32 bytes, a repeated
 * or sequential pattern, or made of words from examples. Undefined if none of these applies.
 */
export const weaknessOf = (secret: string): string | undefined => {
  if (Buffer.byteLength(secret) < LEAST_BYTES) return `has fewer than ${LEAST_BYTES} bytes`
  if (isPattern(secret)) return "is a pattern that is plainly guessed"
  const unknown = unknownPart(secret)
  return unknown.length < LEAST_UNKNOWN || isPattern(unknown) ? "is made of words that are plainly guessed" : undefined
}
