/** Of a value that is no text, list or object: no number is longer. */
const PLAIN_BYTES = 24

/**
 * Estimates the size of a parsed JSON value in bytes of UTF-8, without blanks and escapes. Stops counting above
 * `limit`.
 */
export const jsonSize = (value: unknown, limit: number): number => {
  const waiting: Array<unknown> = [value]
  let size = 0
  while (waiting.length > 0 && size <= limit) {
    const next = waiting.pop()
    if (typeof next === "string") size += Buffer.byteLength(next) + 2
    else if (Array.isArray(next)) {
      size += 2 + next.length
      // A list with more elements than bytes allowed is not looked into.
      if (size <= limit) for (const element of next) waiting.push(element)
    } else if (typeof next === "object" && next !== null) {
      size += 2
      for (const [name, field] of Object.entries(next)) {
        size += Buffer.byteLength(name) + 4
        waiting.push(field)
      }
    } else size += Math.min(PLAIN_BYTES, String(next).length)
  }
  return size
}
