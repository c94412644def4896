import { decodeBytes } from "./decodeBytes.ts"
import {
  COMMON_HAN,
  COMMON_HANGUL,
  COMMON_SIGNS,
  CYRILLIC_LETTERS,
  type EncodingRow,
  HEBREW_LETTERS,
  LEGACY_ENCODINGS,
  VOWEL_LETTERS
} from "./encodings.ts"

/** The most bytes of a sample. A sample contains only lines with characters beyond ASCII. */
const SAMPLE_BYTES = 16 * 1024
/** The least average score of natural text; a character of an ordinary text scores about 1. */
const LEAST_SCORE = 0.55
/** An encoding that comes later in the list is chosen only if its score is higher by at least this margin. */
const MARGIN = 0.02
/** The usual share of vowels among the letters of a text in Cyrillic or Greek. */
const VOWELS = { least: 0.3, most: 0.6 } as const

const WITH_VOWELS = /\p{sc=Cyrillic}|\p{sc=Greek}/u
const OTHER_SCRIPT = /\p{sc=Cyrillic}|\p{sc=Greek}|\p{sc=Hebrew}|\p{sc=Arabic}|\p{sc=Thai}/u
const LETTER = /\p{L}|(?=\p{sc=Thai})\p{M}/u
const LATIN_LETTER = /(?=\p{sc=Latin})\p{L}/u
/** Matches a sign above or below a Thai consonant, or above another sign. */
const THAI_SIGN = /(?=\p{sc=Thai})\p{M}/u
const THAI_LEADING_VOWEL = /[เแโใไ]/u
const THAI_CONSONANT = /[ก-ฮ]/u
const SMALL = /\p{Ll}/u
const CAPITAL = /\p{Lu}/u
const ASCII_LETTER = /[A-Za-z]/u
const KANA = /[\u3040-\u30fa]/u
const HAN = /\p{sc=Han}/u
const HANGUL = /\p{sc=Hangul}/u
const NEVER = /[\u0080-\u009f\ufffd\ue000-\uf8ff]/u
const WITHIN_WORDS = /[’·ー\u00ad]/u

type Alphabet = ReadonlySet<string> | undefined

const wideScore = (character: string, before: string, after: string): number => {
  if (ASCII_LETTER.test(before) && ASCII_LETTER.test(after)) return -1
  if (KANA.test(character)) return 1.3
  if (HANGUL.test(character)) return COMMON_HANGUL.has(character) ? 1.3 : 0.5
  if (HAN.test(character)) return COMMON_HAN.has(character) ? 1.5 : 0.5
  return -0.5
}

/** Returns the part of a letter's score that depends on the rules of its script. */
const scriptScore = (small: string, before: string, after: string): number => {
  if (CYRILLIC_LETTERS.common.has(small) || HEBREW_LETTERS.common.has(small)) return 0.15
  if (CYRILLIC_LETTERS.rare.has(small)) return -0.5
  if (HEBREW_LETTERS.final.has(small)) return LETTER.test(after) ? -1 : 0.3
  if (THAI_SIGN.test(small)) return THAI_CONSONANT.test(before) || THAI_SIGN.test(before) ? 0.15 : -3
  if (THAI_LEADING_VOWEL.test(small)) return THAI_CONSONANT.test(after) ? 0.15 : -3
  return 0
}

/**
 * Returns the plausibility of a character between its neighbours, from -4 to 1.5. In encodings without an alphabet, a
 * character of several bytes counts as one.
 */
const scoreOf = (character: string, before: string, after: string, alphabet: Alphabet): number => {
  if (NEVER.test(character)) return -4
  if (COMMON_SIGNS.has(character)) {
    return LETTER.test(before) && LETTER.test(after) && !WITHIN_WORDS.test(character) ? -1.5 : 0.6
  }
  if (alphabet === undefined) return wideScore(character, before, after)
  if (!LETTER.test(character)) return LETTER.test(before) || LETTER.test(after) ? -2 : -0.5
  // A capital after a small letter indicates an encoding in which capitals and small letters are exchanged.
  if (CAPITAL.test(character) && SMALL.test(before)) return -2
  const small = character.toLowerCase()
  const known = alphabet.has(small) ? 1 : 0.1
  if (OTHER_SCRIPT.test(character)) {
    if (LATIN_LETTER.test(before) || LATIN_LETTER.test(after)) return -2
    return known + scriptScore(small, before, after)
  }
  // Accents are rare in Latin texts: several accented letters in a row are probably letters of another script.
  const crowded = [before, after].filter((each) => LETTER.test(each) && !ASCII_LETTER.test(each)).length
  return known - crowded * 0.3
}

/**
 * Returns a factor for the share of vowels: words have vowels, but letters of another script that are decoded as
 * Cyrillic or Greek have them only by chance.
 */
const vowelFactor = (text: string): number => {
  const found = Array.from(text.toLowerCase()).filter((character) => WITH_VOWELS.test(character))
  if (found.length === 0) return 1
  const share = found.filter((character) => VOWEL_LETTERS.has(character)).length / found.length
  return share < VOWELS.least || share > VOWELS.most ? 0.7 : 1
}

const naturalness = (text: string, alphabet: Alphabet): number => {
  const characters = Array.from(text)
  let sum = 0
  let count = 0
  characters.forEach((character, index) => {
    if (character <= "\u007f") return
    count += 1
    sum += scoreOf(character, characters[index - 1] ?? " ", characters[index + 1] ?? " ", alphabet)
  })
  return count === 0 ? 0 : (sum / count) * vowelFactor(text)
}

/** Returns the first lines that contain characters beyond ASCII, up to the size of a sample. */
const sampleOf = (bytes: Uint8Array): Uint8Array => {
  const sample = new Uint8Array(SAMPLE_BYTES)
  let length = 0
  let lineStart = 0
  let foreign = false
  for (let at = 0; at <= bytes.length && length < SAMPLE_BYTES; at++) {
    const byte = bytes[at]
    if (byte !== undefined && byte >= 0x80) foreign = true
    if (byte !== undefined && byte !== 0x0a && at - lineStart < 4096) continue
    if (foreign) {
      const line = bytes.subarray(lineStart, Math.min(at + 1, lineStart + SAMPLE_BYTES - length))
      sample.set(line, length)
      length += line.length
    }
    lineStart = at + 1
    foreign = false
  }
  return sample.subarray(0, length)
}

/** Ignores up to three bytes at the end, because the sample may end in the middle of a character. */
const decoded = (bytes: Uint8Array, { alphabets, label }: EncodingRow): string | undefined => {
  for (const cut of alphabets.length === 0 ? [0, 1, 2, 3] : [0]) {
    const text = decodeBytes(label, bytes.subarray(0, bytes.length - cut))
    if (text !== undefined) return text
  }
  return undefined
}

/**
 * Returns the encoding, among those older than Unicode, in which the bytes are a natural text, judged by the letters of
 * its languages, by their neighbours, and by impossible combinations. Returns undefined if there is none. If `declared`
 * fits, it is preferred to other encodings that fit as well. The function examines a sample of bounded size.
 */
export const detectEncoding = (bytes: Uint8Array, declared?: string): string | undefined => {
  const sample = sampleOf(bytes)
  let best: { readonly label: string; readonly score: number } | undefined
  for (const row of LEGACY_ENCODINGS) {
    const text = decoded(sample, row)
    if (text === undefined) continue
    const alphabets: ReadonlyArray<Alphabet> = row.alphabets.length === 0 ? [undefined] : row.alphabets
    const fits = Math.max(...alphabets.map((alphabet) => naturalness(text, alphabet)))
    const score = fits + (row.label === declared ? 5 * MARGIN : 0)
    if (score >= LEAST_SCORE && score > (best?.score ?? 0) + MARGIN) best = { label: row.label, score }
  }
  return best?.label
}
