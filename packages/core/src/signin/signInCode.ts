import { Effect } from "effect"
import { toBase64Url } from "../secrets/base64Url.ts"
import { randomBytes } from "../secrets/randomBytes.ts"
import { sha256OfText } from "../secrets/sha256.ts"

/** Digits and letters that cannot be mistaken for each other: Crockford's base 32 has no I, L, O and U. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
/** 40 random bits: with the limits on tries, guessing for a whole day has a chance of one in ten million. */
const CODE_LETTERS = 8
const CODE = new RegExp(`^[${LETTERS}]{${CODE_LETTERS}}$`)
const BROWSER_BYTES = 32
const BROWSER = /^[\w-]{43}$/

/** A new code, in two groups, such as `K7QM-4TXP`. */
export const newCode: Effect.Effect<string> = Effect.map(randomBytes(CODE_LETTERS), (bytes) => {
  const letters = Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join("")
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
})

/** Returns the letters of a code that a person typed; undefined if the text is not a code. */
const lettersOf = (typed: string): string | undefined => {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1")
  return CODE.test(letters) ? letters : undefined
}

/** Returns a code in the form in which it is shown to people; undefined if the text is not a code. */
export const shownCode = (typed: string): string | undefined => {
  const letters = lettersOf(typed)
  return letters && `${letters.slice(0, 4)}-${letters.slice(4)}`
}

/** A new secret for a browser's cookie. */
export const newBrowserSecret: Effect.Effect<string> = Effect.map(randomBytes(BROWSER_BYTES), toBase64Url)

/**
 * Returns the digests of a browser's secret, and of a code together with the secret; undefined if one of them cannot be
 * genuine. The code of a stored digest cannot be found by trying all codes, because the secret is not stored.
 */
export const digestsOf = Effect.fnUntraced(function* (browser: string, typed: string) {
  const letters = lettersOf(typed)
  if (letters === undefined || !BROWSER.test(browser)) return undefined
  return { browser: yield* sha256OfText(browser), code: yield* sha256OfText(`${browser}:${letters}`) }
})
