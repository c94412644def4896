import type { FoundPassage } from "../Document.ts"
import { foldedTerm, isAlike } from "./wordForms.ts"
import { passageWords, searchableQuery, searchableText, stopWordsOf } from "./searchTerms.ts"
import { searchLanguageOf } from "./searchLanguage.ts"

/**
 * What makes a passage relevant to a question: `words` of its words, or one that is at least the share `least` of what the
 * question says, where a name weighs as much as `nameWeight` other words. Of "What is the capital of Mongolia?", "capital" alone is
 * not enough. In a language that writes all nouns as names no word is one. If an embedder compared both, a cosine of `similarity` is
 * enough as well. The README says what was measured.
 */
export const RELEVANCE = { words: 2, least: 0.25, nameWeight: 4, similarity: 0.25 } as const

/** A question of more words is not judged: some of them are in any passage. */
const MOST_WORDS = 50

/** Beginnings of words that ask for the whole of a text, or speak of documents as such: any passage may be a part of the answer. */
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

/** The words of a question that say what it is about, by their weight; undefined if it is not judged. */
const wordsOf = (question: string, found: ReadonlyArray<FoundPassage>): ReadonlyMap<string, number> | undefined => {
  const asked = searchableQuery(question).split(" ")
  const stopWords = stopWordsOf(searchLanguageOf(question))
  const telling = new Set(asked.filter((word) => word !== "" && stopWords?.has(word) !== true))
  if (telling.size > MOST_WORDS || asked.some((word) => WHOLE.test(word))) return undefined
  const isGerman = searchLanguageOf(found.map(({ text }) => text).join("\n")) === "de"
  const written = isGerman ? [] : (question.match(NAMES) ?? [])
  const names = new Set(written.flatMap((name) => searchableText(name).split(" ")))
  return new Map([...telling].map((word) => [foldedTerm(word), names.has(word) ? RELEVANCE.nameWeight : 1]))
}

/** Whether a word, or a form of it, is among the words of a text. */
const isIn = (text: string) => {
  const words = new Set(foldedTerm(text).split(" "))
  const byLetter = Map.groupBy(words, (word) => word.charAt(0))
  return (word: string): boolean =>
    words.has(word) || (byLetter.get(word.charAt(0)) ?? []).some((other) => isAlike(word, other))
}

const sum = (weights: Iterable<number>): number => [...weights].reduce((total, weight) => total + weight, 0)

/** Judges the found passages by the words of a question. */
const judgeWords = (asked: ReadonlyMap<string, number>, found: ReadonlyArray<FoundPassage>) => {
  const isName = (word: string) => asked.get(word) === RELEVANCE.nameWeight
  const wordsIn = (text: string) => [...asked.keys()].filter(isIn(text))
  const ofPassage = new Map(found.map((passage) => [passage, wordsIn(passageWords(passage))]))
  const namesOfDocument = new Map<string, ReadonlyArray<string>>()
  for (const [documentId, passages] of Map.groupBy(found, (passage) => passage.documentId)) {
    const ofName = wordsIn(searchableText(passages[0]?.filename ?? ""))
    const said = [...ofName, ...passages.flatMap((passage) => ofPassage.get(passage) ?? [])]
    namesOfDocument.set(documentId, said.filter(isName))
  }
  const all = sum(asked.values())
  return (passage: FoundPassage): boolean => {
    const has = new Set([...(ofPassage.get(passage) ?? []), ...(namesOfDocument.get(passage.documentId) ?? [])])
    return has.size >= RELEVANCE.words || sum([...has].map((word) => asked.get(word) ?? 0)) >= RELEVANCE.least * all
  }
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
  const asked = wordsOf(question, found)
  if (asked === undefined) return found
  const hasWords = judgeWords(asked, found)
  return found.filter((passage) => (passage.similarity ?? -1) >= nearFrom || hasWords(passage))
}
