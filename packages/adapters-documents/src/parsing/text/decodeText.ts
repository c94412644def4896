import { cleanText } from "../cleanText.ts"
import { decodeBytes } from "./decodeBytes.ts"
import { detectEncoding } from "./detectEncoding.ts"
import { Unreadable } from "../Unreadable.ts"

const UNKNOWN =
  "The characters of the text are written in an encoding that is not known. Save it as UTF-8 and upload it again."
const EBCDIC = "The text is written in EBCDIC, the encoding of mainframes. Convert it to UTF-8 and upload it again."
const NOT_TEXT = "The file is not plain text. Save it as plain text (UTF-8) and upload it again."

/** The number of bytes that are examined to detect UTF-16 and EBCDIC. */
const SAMPLE_BYTES = 8192
/**
 * If there are at least this many correct characters beyond ASCII for each broken one, the text is UTF-8 with an
 * error, and not another encoding.
 */
const SOUND_PER_BROKEN = 50

/** Detects UTF-16 by its byte order mark, or by the zero in every second byte of Latin letters, digits and spaces. */
const wideLabel = (bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined => {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return "utf-16le"
  if (first === 0xfe && second === 0xff) return "utf-16be"
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  let even = 0
  let odd = 0
  sample.forEach((byte, index) => {
    if (byte !== 0) return
    if (index % 2 === 0) even += 1
    else odd += 1
  })
  const pairs = sample.length / 2
  if (odd > pairs * 0.2 && even < odd / 20) return "utf-16le"
  if (even > pairs * 0.2 && odd < even / 20) return "utf-16be"
  return undefined
}

/** Detects EBCDIC, in which spaces are 0x40, letters begin at 0x81, and the codes of ASCII's small letters are rare. */
const isEbcdic = (bytes: Uint8Array): boolean => {
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const share = (from: number, to: number) =>
    sample.filter((byte) => byte >= from && byte <= to).length / Math.max(1, sample.length)
  return share(0x40, 0x40) > 0.05 && share(0x81, 0xf9) > 0.5 && share(0x20, 0x20) < 0.01
}

/** Returns the text if it is UTF-8 with a few broken characters; otherwise undefined. */
const nearlyUtf8 = (bytes: Uint8Array): string | undefined => {
  const text = new TextDecoder("utf-8").decode(bytes)
  const broken = text.split("\ufffd").length - 1
  let sound = 0
  for (let at = 0; at < text.length && sound < broken * SOUND_PER_BROKEN; at++) {
    const unit = text.charCodeAt(at)
    if (unit > 0x7f && unit !== 0xfffd) sound += 1
  }
  return sound >= broken * SOUND_PER_BROKEN ? text : undefined
}

/**
 * Decodes a text. The encoding is UTF-16 or UTF-8 if the bytes are valid in it, even if another one is declared;
 * otherwise the declared encoding if the text is plausible in it, or another one in which the text is plausible. If no
 * known encoding fits, the text is refused, because it would be stored with wrong letters. `declared` is an encoding
 * label as in HTML pages.
 */
export const decodeText = (bytes: Uint8Array, declared?: string): string => {
  const wide = wideLabel(bytes)
  if (wide !== undefined) {
    const text = decodeBytes(wide, bytes)
    if (text !== undefined && !text.includes("\0")) return cleanText(text)
    throw new Unreadable("encoding", NOT_TEXT)
  }
  if (bytes.includes(0)) throw new Unreadable("encoding", NOT_TEXT)
  const text = decodeBytes("utf-8", bytes)
  if (text !== undefined) return cleanText(escaped(text, bytes))
  if (isEbcdic(bytes)) throw new Unreadable("encoding", EBCDIC)
  const label = detectEncoding(bytes, canonical(declared))
  // The file may contain a broken character outside of the examined sample.
  const legacy = nearlyUtf8(bytes) ?? (label === undefined ? undefined : decodeBytes(label, bytes, { lenient: true }))
  if (legacy === undefined) throw new Unreadable("encoding", UNKNOWN)
  return cleanText(legacy)
}

/**
 * Decodes a text in ISO-2022-JP: it consists of ASCII characters with escape sequences, and is therefore valid UTF-8.
 */
const escaped = (text: string, bytes: Uint8Array): string =>
  /\u001b\$[@B]/u.test(text) ? (decodeBytes("iso-2022-jp", bytes) ?? text) : text

/** Returns the canonical name of an encoding label; undefined if the label is unknown. */
const canonical = (label: string | undefined): string | undefined => {
  try {
    return label === undefined ? undefined : new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}
