/**
 * Reads the events of a stream without parsing them, if they differ only in one text, as nearly all events of a reply
 * do.
 */
export interface RepeatedText {
  /** Returns the text of an event if the event differs from the learned one only in its text; otherwise undefined. */
  read(data: string): string | undefined
  /** Learns from an event that was parsed. Its parsing found `text` under the key, and had no other effect. */
  learn(data: string, text: string): void
}

/** Matches texts that contain no characters with an escape in JSON. */
const PLAIN = /^[^"\\\u0000-\u001f]*$/

/**
 * Makes a reader that avoids parsing JSON, the most expensive step of reading a vendor's reply. It compares the parts
 * of an event before and after the text with those of the last parsed event: if both are equal and the text contains
 * neither a quote nor an escape, parsing would have the same result except for the text. `key` names the field of the
 * text, which must occur exactly once in the event.
 */
export const makeRepeatedText = (key: string): RepeatedText => {
  const quoted = JSON.stringify(key)
  let before: string | undefined
  let after = ""
  return {
    read: (data) => {
      if (before === undefined) return undefined
      const end = data.length - after.length
      // Comparing slices is many times faster than `startsWith` and `endsWith`.
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
      // If there are escapes, an escaped form of the key may occur as well, and JSON uses the last occurrence of a key.
      if (first.includes("\\") || last.includes("\\")) return
      before = first
      after = last
    }
  }
}
