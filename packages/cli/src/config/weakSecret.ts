/** A key for HMAC-SHA-256 has at least the size of the hash (RFC 7518, 3.2). */
const LEAST_BYTES = 32
/** What may be left of a secret without the words everybody knows, so that it still cannot be guessed. */
const LEAST_UNKNOWN = 16
/** Fewer different characters than this are typed by hand: random hexadecimal digits have about fourteen. */
const LEAST_DIFFERENT = 6
/** So many steps of a hundred lead to the next character of the alphabet where somebody counted. */
const COUNTED_PERCENT = 70

/** What examples, tutorials and `.env.example` files write where a secret is to be put, and the names of the variables. */
const KNOWN_WORDS = [
  ...[
    "secret",
    "password",
    "passwd",
    "passphrase",
    "changeme",
    "change",
    "replace",
    "placeholder",
    "example",
    "sample"
  ],
  ...["default", "development", "production", "testing", "test", "local", "host", "dummy", "insecure", "unsafe"],
  ...["parley", "session", "cron", "encryption", "encrypt", "token", "private", "public", "signing", "sign", "auth"],
  ...["admin", "root", "user", "login", "letmein", "qwerty", "asdf", "hunter2", "welcome", "correct", "horse"],
  ...["battery", "staple", "todo", "fixme", "insert", "generate", "random", "string", "value", "bytes", "characters"],
  ...["please", "super", "very", "long", "least", "some", "your", "here", "this", "that", "with", "must", "enough"],
  ...[
    "undefined",
    "null",
    "none",
    "true",
    "false",
    "postgres",
    "jwt",
    "hs256",
    "hmac",
    "key",
    "env",
    "for",
    "the",
    "not",
    "and",
    "my"
  ]
].toSorted((a, b) => b.length - a.length)

/** The length of the shortest piece that the text repeats, a last one cut short included; its own length where none. */
const periodOf = (text: string): number => {
  for (let period = 1; period <= text.length / 2; period++) {
    if (text.slice(period) === text.slice(0, -period)) return period
  }
  return text.length
}

/** Whether most characters follow, equal or precede the one before them in the alphabet, as in `abcdef` and `98765`. */
const isCounted = (text: string): boolean => {
  let steps = 0
  for (let index = 1; index < text.length; index++) {
    if (Math.abs(text.charCodeAt(index) - text.charCodeAt(index - 1)) <= 1) steps++
  }
  return steps * 100 >= (text.length - 1) * COUNTED_PERCENT
}

const isPattern = (text: string): boolean =>
  new Set(text).size < LEAST_DIFFERENT || periodOf(text) <= text.length / 2 || isCounted(text)

/** The letters and digits that are left once the words everybody knows are taken out. */
const unknownPart = (secret: string): string => {
  let rest = secret.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")
  for (const word of KNOWN_WORDS) rest = rest.replaceAll(word, "")
  return rest
}

/**
 * Why a secret is weak, as the end of a sentence that begins with "it": shorter than 32 bytes, a repeated or counted
 * pattern, or made of the words that examples are made of. Undefined where nothing of that can be seen.
 */
export const weaknessOf = (secret: string): string | undefined => {
  if (Buffer.byteLength(secret) < LEAST_BYTES) return `has fewer than ${LEAST_BYTES} bytes`
  if (isPattern(secret)) return "is a pattern that is plainly guessed"
  const unknown = unknownPart(secret)
  return unknown.length < LEAST_UNKNOWN || isPattern(unknown) ? "is made of words that are plainly guessed" : undefined
}
