import type { BlockWords } from "./blockWords.ts"
import { growingNumbers } from "./growingNumbers.ts"
import { type KnownWords, NO_TERMS } from "./knownWords.ts"
import type { PostedTerm } from "./postedTerm.ts"
import { type PostingPart, postingParts } from "./postingParts.ts"
import { makeTextWriter } from "./textWriter.ts"

const SPACE = 0x20

/** A passage by its terms: how many it has in all; each once, and how often each occurs, with spaces between. */
export interface PassageTerms {
  readonly length: number
  readonly terms: string
  readonly frequencies: string
}

export interface BlockTerms {
  readonly passages: ReadonlyArray<PassageTerms>
  readonly parts: ReadonlyArray<PostingPart>
  /** How many lexemes the parts have. */
  readonly lexemes: number
}

/** Counts the terms of a block's passages, in one go: its counters are those of the next block too. */
export const makeBlockTerms = () => {
  /** By the number of a term; all are 0 between passages, and between blocks. */
  let times = new Int32Array(1_024)
  let placesInBlock = new Int32Array(1_024)

  const termsWriter = makeTextWriter()
  const frequenciesWriter = makeTextWriter()

  return ({ others, terms }: KnownWords, { ends, words }: BlockWords): BlockTerms => {
    if (times.length < terms.length) {
      times = new Int32Array(terms.length * 2)
      placesInBlock = new Int32Array(terms.length * 2)
    }
    const ofPassage = times
    /** From 1. */
    const ofBlock = placesInBlock
    const numbers: Array<number> = []
    const found: Array<PostedTerm> = []
    const places = growingNumbers(1_024)
    const ofTerms = growingNumbers(1_024)
    const frequencies = growingNumbers(1_024)

    /** Notes how often each term is in a passage, as postings. */
    const post = (seen: ReadonlyArray<number>, place: number): void => {
      for (const term of seen) {
        if (ofBlock[term] === 0) {
          ofBlock[term] = numbers.push(term)
          found.push(terms[term]!)
        }
        places.add(place)
        ofTerms.add(ofBlock[term]! - 1)
        frequencies.add(ofPassage[term]!)
        ofPassage[term] = 0
      }
    }

    const passages = ends.map((end, place): PassageTerms => {
      const from = ends[place - 1] ?? 0
      const own: Array<number> = []
      let length = 0
      let hasPlain = false
      for (let at = from; at < end; at++) {
        const word = words[at]!
        if (word >= 0) {
          if (ofPassage[word]!++ === 0) own.push(word)
          length += 1
        } else if (word !== NO_TERMS) {
          const several = others[-1 - word]!
          for (const term of several.own) if (ofPassage[term]!++ === 0) own.push(term)
          length += several.own.length
          hasPlain ||= several.plain.length > 0
        }
      }
      for (let at = 0; at < own.length; at++) {
        const term = own[at]!
        if (at > 0) {
          termsWriter.addCharacter(SPACE)
          frequenciesWriter.addCharacter(SPACE)
        }
        termsWriter.addText(terms[term]!.term)
        frequenciesWriter.addNumber(ofPassage[term]!)
      }
      const passage = { length, terms: termsWriter.take(), frequencies: frequenciesWriter.take() }
      post(own, place)
      if (hasPlain) {
        const plain: Array<number> = []
        for (let at = from; at < end; at++) {
          const word = words[at]!
          if (word >= NO_TERMS) continue
          for (const term of others[-1 - word]!.plain) if (ofPassage[term]!++ === 0) plain.push(term)
        }
        post(plain, place)
      }
      return passage
    })
    for (const term of numbers) ofBlock[term] = 0
    const parts = postingParts({
      terms: found,
      places: places.all(),
      ofTerms: ofTerms.all(),
      frequencies: frequencies.all()
    })
    return { passages, parts, lexemes: found.length }
  }
}
