import type { FoundPassage } from "../Document.ts"
import { foldedTerm, isAlike, passageWords, searchableQuery, searchableText, stopWordsOf } from "./searchTerms.ts"
import { searchLanguageOf } from "./searchLanguage.ts"

/**
 * The conditions for a passage to be relevant to a question: it contains `words` of the question's words, or words that
 * make up at least the share `least` of the question's weight, in which a name weighs as much as `nameWeight` other
 * words. Of "What is the capital of Mongolia?", "capital" alone is not enough. In a language that capitalises all
 * nouns, no word counts as a name. If an embedder compared both, a cosine of `similarity` is enough as well. The README
 * reports the measurements.
 */
export const RELEVANCE = { words: 2, least: 0.25, nameWeight: 4, similarity: 0.25 } as const

/** A question of more words is not judged: some of them are in any passage. */
const MOST_WORDS = 50

/**
 * Beginnings of words that ask for the whole of a text, or speak of documents in general: any passage may be a part of
 * the answer.
 */
const WHOLE = new RegExp(
  "^(?:summar|overview|outlin|gist$|tldr$|translat|docum|files?$|pdf|attach|upload|" +
    "zusammenfass|zusammengefasst|fasse?$|überblick|übersetz|dokum|datei|anhang|" +
    "résum|resum|aperçu|tradu|fichier|riassu|sintesi|síntesis|síntese|visão$|archivo|arquivo|ficheiro|" +
    "samenvat|overzicht|vertaal|bestand|sammanfat|sammenfat|oppsummer|opsummer|sammendrag|översikt|oversikt|" +
    "tiivist|yhteenve|asiakirj|tiedosto|суммир|резюм|обзор|перевед|докум|файл)",
  "u"
)

/** Names as most languages write them, in a sentence; an abbreviation may be written out in the text. */
const NAMES = /(?<=[^.!?\s]\s+)\p{Lu}\p{Ll}[\p{L}\p{M}]*/gu

/** The content words of a question, by their weight; undefined if the question is not judged. */
const weighWords = (question: string, found: ReadonlyArray<FoundPassage>): ReadonlyMap<string, number> | undefined => {
  const stopWords = stopWordsOf(searchLanguageOf(question))
  const telling = new Set<string>()
  for (const word of searchableQuery(question).split(" ")) {
    if (WHOLE.test(word)) return undefined
    if (word !== "" && stopWords?.has(word) !== true) telling.add(word)
  }
  if (telling.size > MOST_WORDS) return undefined
  const isGerman = searchLanguageOf(found.map(({ text }) => text).join("\n")) === "de"
  const written = isGerman ? [] : (question.match(NAMES) ?? [])
  const names = new Set(searchableText(written.join(" ")).split(" "))
  const weights = new Map<string, number>()
  for (const word of telling) weights.set(foldedTerm(word), names.has(word) ? RELEVANCE.nameWeight : 1)
  return weights
}

/** The words of which a form is among the words of a text. */
const wordsIn = (text: string, asked: Iterable<string>): ReadonlyArray<string> => {
  const words = new Set(foldedTerm(text).split(" "))
  const found: Array<string> = []
  for (const word of asked) {
    let isFound = words.has(word)
    for (const other of isFound ? [] : words) isFound ||= other[0] === word[0] && isAlike(word, other)
    if (isFound) found.push(word)
  }
  return found
}

/**
 * Leaves out found passages that have too little to do with a question to be worth sending and paying for: by the words of
 * both, and, if an embedder compared them, by their meaning. A name in the question counts for all found
 * passages of a document if one of them or the file's name has it: a contract names its parties once. A question that asks for the
 * whole of a text keeps all that was found.
 * @param nearFrom the least cosine that is enough
 */
export const relevantPassages = (
  question: string,
  found: ReadonlyArray<FoundPassage>,
  nearFrom: number = RELEVANCE.similarity
): ReadonlyArray<FoundPassage> => {
  const asked = weighWords(question, found)
  if (asked === undefined) return found
  let all = 0
  for (const weight of asked.values()) all += weight
  const ofPassage = new Map<FoundPassage, ReadonlyArray<string>>()
  const ofDocument = new Map<string, ReadonlyArray<string>>()
  for (const passage of found) {
    const words = wordsIn(passageWords(passage), asked.keys())
    const before = ofDocument.get(passage.documentId) ?? wordsIn(searchableText(passage.filename), asked.keys())
    ofPassage.set(passage, words)
    ofDocument.set(passage.documentId, [...before, ...words])
  }
  return found.filter((passage) => {
    const has = new Set(ofPassage.get(passage))
    for (const word of ofDocument.get(passage.documentId) ?? []) {
      if (asked.get(word) === RELEVANCE.nameWeight) has.add(word)
    }
    let weight = 0
    for (const word of has) weight += asked.get(word) ?? 0
    const isNear = (passage.similarity ?? -1) >= nearFrom
    return isNear || has.size >= RELEVANCE.words || weight >= RELEVANCE.least * all
  })
}
