import { Effect } from "effect"
import { toBase64Url } from "../secrets/base64Url.ts"
import { randomBytes } from "../secrets/randomBytes.ts"
import { sha256OfText } from "../secrets/sha256.ts"

/** Digits and letters that look alike in no font: Crockford's base 32 has no I, L, O and U. */
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
/** 40 random bits: with the bounds on tries, guessing all day has a chance of one in ten million. */
const CODE_LETTERS = 8
const CODE = new RegExp(`^[${LETTERS}]{${CODE_LETTERS}}$`)
const BROWSER_BYTES = 32
const BROWSER = /^[\w-]{43}$/

/** A new code, in two groups: `K7QM-4TXP`. */
export const newCode: Effect.Effect<string> = Effect.map(randomBytes(CODE_LETTERS), (bytes) => {
  const letters = Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join("")
  return `${letters.slice(0, 4)}-${letters.slice(4)}`
})

/** The letters of a code as a person typed it; undefined if it is no code. */
const lettersOf = (typed: string): string | undefined => {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1")
  return CODE.test(letters) ? letters : undefined
}

/** A code in the form in which people read it; undefined if the text is none. */
export const shownCode = (typed: string): string | undefined => {
  const letters = lettersOf(typed)
  return letters && `${letters.slice(0, 4)}-${letters.slice(4)}`
}

/** A new secret of a browser, for its cookie. */
export const newBrowserSecret: Effect.Effect<string> = Effect.map(randomBytes(BROWSER_BYTES), toBase64Url)

/**
 * The digests of a browser's secret, and of a code with it; undefined if one of them cannot be genuine. A stored code
 * cannot be found by trying all codes, because the secret is not stored.
 */
export const digestsOf = Effect.fnUntraced(function* (browser: string, typed: string) {
  const letters = lettersOf(typed)
  if (letters === undefined || !BROWSER.test(browser)) return undefined
  return { browser: yield* sha256OfText(browser), code: yield* sha256OfText(`${browser}:${letters}`) }
})
