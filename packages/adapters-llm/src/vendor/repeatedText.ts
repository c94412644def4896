/** Reads the events of one stream that differ by one text alone, as nearly all events of a reply do. */
export interface RepeatedText {
  /**
   * Returns the text of an event that equals the learned one except for its text; undefined if it differs otherwise or
   * cannot be compared.
   */
  read(data: string): string | undefined
  /** Learns from an event whose parsing found `text` under the key and had no other effect. */
  learn(data: string, text: string): void
}

/** Characters that need no escape in a JSON string. */
const PLAIN = /^[^"\\\u0000-\u001f]*$/

/**
 * Parsing JSON is the most expensive step of reading a vendor's reply. This compares the parts before and after the
 * text with those of the last parsed event instead: if both are equal and the text between contains no quote and no
 * escape, the event would parse to the same result except for the text. `key` names the text's field, which must occur
 * once in the event.
 */
export const makeRepeatedText = (key: string): RepeatedText => {
  const quoted = JSON.stringify(key)
  let before: string | undefined
  let after = ""
  return {
    read: (data) => {
      if (before === undefined) return undefined
      const end = data.length - after.length
      // Slices are compared many times faster than beginnings and ends.
      if (end < before.length || data.slice(0, before.length) !== before || data.slice(end) !== after) return undefined
      const text = data.slice(before.length, end)
      return PLAIN.test(text) ? text : undefined
    },
    learn: (data, text) => {
      before = undefined
      const place = data.indexOf(quoted)
      if (place < 0 || data.includes(quoted, place + 1)) return
      const value = JSON.stringify(text)
      const start = data.indexOf(value, place + quoted.length)
      if (start < 0 || !/^\s*:\s*$/.test(data.slice(place + quoted.length, start))) return
      const [first, last] = [data.slice(0, start + 1), data.slice(start + value.length - 1)]
      // Escaped, the key may be there again, unrecognized: the last one counts.
      if (first.includes("\\") || last.includes("\\")) return
      before = first
      after = last
    }
  }
}
