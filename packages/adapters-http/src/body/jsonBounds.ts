/**
 * Objects, lists and fields that a body may have: four times as many as the longest chat request. A parsed byte of a
 * text costs little, one that begins another value up to fifty times as much, so that this bounds the time of a body.
 */
export const MAX_JSON_PARTS = 20_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** `,` `:` `[` `{` */
const PARTS = new Set([0x2c, 0x3a, 0x5b, 0x7b])
const isPart = Uint8Array.from({ length: 256 }, (_, byte) => (PARTS.has(byte) ? 1 : 0))

/** True if JSON in UTF-8 has more parts than allowed; stops there. Of anything else the result means nothing. */
export const hasTooManyParts = (bytes: Uint8Array): boolean => {
  let parts = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (isPart[byte] === 1 && ++parts > MAX_JSON_PARTS) return true
  }
  return false
}

/** Of a value that is no text, list or object: no number is longer. */
const PLAIN_BYTES = 24

/** A parsed value: its size as JSON without blanks and escapes, estimated, and its parts. */
export interface JsonMeasure {
  readonly bytes: number
  readonly parts: number
}

/** Measures a parsed value; stops above `limit` bytes. */
export const measureJson = (value: unknown, limit: number): JsonMeasure => {
  const waiting: Array<unknown> = [value]
  let bytes = 0
  let parts = 0
  while (waiting.length > 0 && bytes <= limit) {
    const next = waiting.pop()
    if (typeof next === "string") bytes += Buffer.byteLength(next) + 2
    else if (Array.isArray(next)) {
      bytes += 2 + next.length
      parts += 1 + next.length
      // A list with more elements than bytes allowed is not looked into.
      if (bytes <= limit) for (const element of next) waiting.push(element)
    } else if (typeof next === "object" && next !== null) {
      bytes += 2
      parts += 1
      for (const [name, field] of Object.entries(next)) {
        bytes += Buffer.byteLength(name) + 4
        parts += 2
        waiting.push(field)
      }
    } else bytes += Math.min(PLAIN_BYTES, String(next).length)
  }
  return { bytes, parts }
}
