import { randomInt } from "node:crypto"

/** Words by what tells each, found where they stand in a text: none is cut out of it to be looked up. */
export interface WordTable {
  readonly size: () => number
  /** The number that tells the word that stands there, which has that hash; undefined where it is not in the table. */
  readonly find: (text: string, start: number, end: number, hash: number) => number | undefined
  /** Adds a word that is not in the table. */
  readonly add: (word: string, told: number) => void
}

/** What a hash begins with; by chance, so that nobody can write words that have the same. */
export const HASH_BEGIN = randomInt(2 ** 31)

/** A hash with one more UTF-16 unit. */
export const hashFurther = (hash: number, unit: number): number => {
  const mixed = Math.imul(hash ^ unit, 0x5bd1e995)
  return mixed ^ (mixed >>> 15)
}

export const hashOf = (word: string): number => {
  let hash = HASH_BEGIN
  for (let at = 0; at < word.length; at++) hash = hashFurther(hash, word.charCodeAt(at))
  return hash
}

const larger = (numbers: Int32Array): Int32Array<ArrayBuffer> => {
  const grown = new Int32Array(numbers.length * 2)
  grown.set(numbers)
  return grown
}

/** An open hash table: slots have 1 more than the place of a word, and a word is in the first free slot from that of its hash on. */
export const makeWordTable = (): WordTable => {
  let slots = new Int32Array(2_048)
  let hashes = new Int32Array(1_024)
  let told = new Int32Array(1_024)
  const words: Array<string> = []

  const insert = (place: number): void => {
    const mask = slots.length - 1
    let slot = hashes[place]! & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = place + 1
  }

  const isAt = (word: string, text: string, start: number, end: number): boolean => {
    if (word.length !== end - start) return false
    for (let at = 0; at < word.length; at++) {
      if (word.charCodeAt(at) !== text.charCodeAt(start + at)) return false
    }
    return true
  }

  return {
    size: () => words.length,
    find: (text, start, end, hash) => {
      const mask = slots.length - 1
      for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
        const place = slots[slot]! - 1
        if (place < 0) return undefined
        if (hashes[place] === hash && isAt(words[place]!, text, start, end)) return told[place]
      }
    },
    add: (word, number) => {
      const place = words.push(word) - 1
      if (place === hashes.length) {
        hashes = larger(hashes)
        told = larger(told)
        slots = new Int32Array(slots.length * 2)
        for (let before = 0; before < place; before++) insert(before)
      }
      hashes[place] = hashOf(word)
      told[place] = number
      insert(place)
    }
  }
}
