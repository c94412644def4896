/** The least length of a secret in bytes: a key for HMAC-SHA-256 must not be shorter than the hash (RFC 7518, 3.2). */
const LEAST_BYTES = 32
/** The least number of characters that must remain after well-known words are removed. */
const LEAST_UNKNOWN = 16
/**
 * The least number of different characters. A text with fewer was typed by hand: random hexadecimal digits have about
 * fourteen.
 */
const LEAST_DIFFERENT = 6
/**
 * A secret counts as a sequence if at least this percentage of its characters equal the previous one or are its
 * neighbours in the alphabet.
 */
const COUNTED_PERCENT = 70

/** Words in placeholders for secrets, as in examples, tutorials, `.env.example` files and names of variables. */
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
 * The length of the shortest piece that the text repeats; the last repetition may be cut short. The text's length if it
 * repeats no piece.
 */
const periodOf = (text: string): number => {
  for (let period = 1; period <= text.length / 2; period++) {
    if (text.slice(period) === text.slice(0, -period)) return period
  }
  return text.length
}

/** True if most characters equal the previous one or are its neighbours in the alphabet, as in `abcdef` and `98765`. */
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
 * The reason why a secret is weak, as the end of a sentence that begins with "it": shorter than 32 bytes, a repetition,
 * a sequence, or words from examples. Undefined if the secret is not weak.
 */
export const weaknessOf = (secret: string): string | undefined => {
  if (Buffer.byteLength(secret) < LEAST_BYTES) return `has fewer than ${LEAST_BYTES} bytes`
  if (isPattern(secret)) return "is a pattern that is plainly guessed"
  const unknown = unknownPart(secret)
  return unknown.length < LEAST_UNKNOWN || isPattern(unknown) ? "is made of words that are plainly guessed" : undefined
}
