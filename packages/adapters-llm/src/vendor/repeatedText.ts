/** Reads the events of one stream that differ by one text alone, as nearly all events of a reply do. */
export interface RepeatedText {
  /** The text of an event that is otherwise as the one learned from; undefined where it is another, or cannot be told. */
  read(data: string): string | undefined
  /** Learns from an event whose parsing gave `text` under the key, and had no other effect. */
  learn(data: string, text: string): void
}

/** What a JSON string may have in it that stands for itself. */
const PLAIN = /^[^"\\\u0000-\u001f]*$/

/**
 * Parsing JSON costs a reply more than all else that is read of its vendor. What comes before and after the text of one
 * event is compared instead with the next, whose text, where nothing in it ends or escapes, can only be what is between:
 * the event parses as the one before in all but it. `key` is the text's, which is to be in the event once.
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
