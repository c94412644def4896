const SENTENCE_END = /[.!?]["')\]]*(?=\s)|\n/g

/** A short beginning waits for more, so that announcements do not hail down. */
const LEAST = 60

/**
 * What is to be said of a text that grows.
 * @param text all of it so far
 * @param from how much of it was said before
 * @param isWhole nothing more is coming
 */
export const spokenSentences = (text: string, from: number, isWhole: boolean) => {
  const waiting = text.slice(from)
  const ends = waiting.length < LEAST ? [] : [...waiting.matchAll(SENTENCE_END)]
  const last = ends.at(-1)
  const length = isWhole ? waiting.length : last === undefined ? 0 : last.index + last[0].length
  const sentence = waiting.slice(0, length).trim()
  return { sentences: sentence === "" ? [] : [sentence], upTo: from + length }
}
