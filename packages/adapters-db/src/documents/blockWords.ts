import { growingNumbers } from "./growingNumbers.ts"
import type { KnownWords } from "./knownWords.ts"
import { HASH_BEGIN, hashFurther } from "./wordTable.ts"

/** The words of a block, each by what tells it among those that are known; and where those of each passage end. */
export interface BlockWords {
  readonly words: Int32Array
  readonly ends: ReadonlyArray<number>
}

const SPACE = 0x20

/** The words of passages, which have one space between two; and those that are not known, each with its places among all. */
export const wordsOf = (
  passages: ReadonlyArray<string>,
  { words: known }: KnownWords
): BlockWords & { readonly unknown: ReadonlyMap<string, ReadonlyArray<number>> } => {
  const words = growingNumbers(1_024)
  const unknown = new Map<string, Array<number>>()
  const addUnknown = (word: string): void => {
    const places = unknown.get(word)
    if (places === undefined) unknown.set(word, [words.length()])
    else places.push(words.length())
    words.add(0)
  }
  const ends = passages.map((text) => {
    let start = 0
    let hash = HASH_BEGIN
    for (let at = 0; at <= text.length; at++) {
      const unit = at === text.length ? SPACE : text.charCodeAt(at)
      if (unit === SPACE) {
        const told = known.find(text, start, at, hash)
        if (told === undefined) addUnknown(text.slice(start, at))
        else words.add(told)
        start = at + 1
        hash = HASH_BEGIN
      } else hash = hashFurther(hash, unit)
    }
    return words.length()
  })
  return { words: words.all(), ends, unknown }
}
