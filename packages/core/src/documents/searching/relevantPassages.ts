import type { FoundPassage } from "../Document.ts"
import { foldedTerm, isAlike, MAX_QUERY_LENGTH, passageWords, searchableText, tellingWords } from "./searchTerms.ts"
import { searchLanguageOf } from "./searchLanguage.ts"

/**
 * The BM25 parameters: the saturation of repeated terms (k1) and the penalty of long passages (b), with the values of
 * Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), section 3.5.
 */
export const BM25 = { k1: 1.2, b: 0.75 } as const

/** One term in one passage, with the term's statistics in the owner's passages. */
export interface TermMatch {
  /** The number of the owner's passages; `passagesWithTerm` is the number of those that contain the term. */
  readonly passages: number
  readonly passagesWithTerm: number
  /** The number of occurrences of the term in this passage. */
  readonly frequency: number
  /**
   * The number of terms in this passage; `averageLength` is the average over the passages of the named documents in the
   * same language.
   */
  readonly length: number
  readonly averageLength: number
}

/** The weight of a term's occurrences in a passage, from 0 to 1; lower in a longer passage. */
export const saturation = ({
  averageLength,
  frequency,
  length
}: Pick<TermMatch, "averageLength" | "frequency" | "length">): number =>
  frequency / (frequency + BM25.k1 * (1 - BM25.b + (BM25.b * length) / averageLength))

/**
 * Returns the contribution of one term of the query to a passage's score: BM25 as Lucene computes it, with the inverse
 * document frequency `ln(1 + (N - n + 0.5) / (n + 0.5))`, which is never negative, and without the constant factor `k1
 * + 1`.
 */
export const scoreTerm = (match: TermMatch): number => {
  const { passages, passagesWithTerm } = match
  return Math.log(1 + (passages - passagesWithTerm + 0.5) / (passagesWithTerm + 0.5)) * saturation(match)
}

/**
 * The parameters of pseudo relevance feedback: terms that the best passages share with a candidate count in addition to
 * the words of the query. Each of the first `passages` passages has a weight: its share of the best score, to the power
 * of `sharpness`. The query has the share `queryShare` of the total weight. The first `candidates` passages are ranked
 * again. Measured on half of Cranfield's queries.
 */
export const FEEDBACK = { candidates: 50, passages: 5, sharpness: 8, queryShare: 0.55 } as const

/** A passage that a search by words found. */
export interface FeedbackCandidate {
  /** The BM25 score, multiplied by the share of the document. */
  readonly score: number
  /** The terms of the passage, with the number of occurrences of each. */
  readonly terms: ReadonlyMap<string, number>
  /**
   * The number of all terms of the passage; `averageLength` is the average over the named documents in its language.
   */
  readonly length: number
  readonly averageLength: number
}

/** The statistics of the owner's passages that feedback needs. */
export interface FeedbackStatistics {
  readonly passages: number
  /**
   * Returns the number of passages that contain the term, for every term in the first `FEEDBACK.passages` candidates.
   */
  passagesWith(term: string): number
}

/** The terms that a relevant passage is expected to have, with weights that add up to one. */
const expectedTerms = (best: ReadonlyArray<FeedbackCandidate>): ReadonlyMap<string, number> => {
  const weights = new Map<string, number>()
  const top = best[0]?.score ?? 1
  let sum = 0
  for (const { averageLength, length, score, terms } of best) {
    const share = (score / top) ** FEEDBACK.sharpness
    for (const [term, frequency] of terms) {
      const weight = share * saturation({ frequency, length, averageLength })
      weights.set(term, (weights.get(term) ?? 0) + weight)
      sum += weight
    }
  }
  for (const [term, weight] of weights) weights.set(term, weight / sum)
  return weights
}

/**
 * Returns the addition that feedback makes to the score of each candidate; candidates are given best first, and
 * `occurrences` is the number of terms of the query, counting repetitions. The method is RM3 (Abdul-Jaleel et al., TREC
 * 2004) with BM25 in place of a language model: the expected terms are searched for as a second query, with the weight
 * `(1 - queryShare) / queryShare` of the first.
 */
export const feedbackScores = (
  candidates: ReadonlyArray<FeedbackCandidate>,
  occurrences: number,
  statistics: FeedbackStatistics
): ReadonlyArray<number> => {
  const { passages } = statistics
  const expected = expectedTerms(candidates.slice(0, FEEDBACK.passages))
  const known = new Map<string, number>()
  for (const term of expected.keys()) known.set(term, statistics.passagesWith(term))
  const share = (occurrences * (1 - FEEDBACK.queryShare)) / FEEDBACK.queryShare
  return candidates.map(({ averageLength, length, terms }) => {
    let sum = 0
    for (const [term, frequency] of terms) {
      const weight = expected.get(term)
      if (weight === undefined) continue
      sum += weight * scoreTerm({ passages, passagesWithTerm: known.get(term) ?? 0, frequency, length, averageLength })
    }
    return share * sum
  })
}

/**
 * The weight of similarity in meaning compared with words, and the number of passages considered for each. The score is
 * the sum of two parts: the score by words, as a share of the best score by words; and the number of standard
 * deviations by which a cosine exceeds the average of all compared cosines, times `weight`. Deviations are used because
 * the cosines of unrelated texts differ between models, and a model that cannot distinguish texts has no cosine far
 * above the average. A sum of ranks would lose information of the better search (Bruch, Gai and Ingber, "An analysis of
 * fusion functions for hybrid retrieval", TOIS 2023). Chosen on half of the questions of two collections, with
 * embeddings of eight qualities; an embedder that is known to find better than words sets its own `weight`.
 */
export const FUSION = { weight: 0.04, candidates: 50 } as const

/** Differences between cosines that are smaller than about this are not enlarged. */
const LEAST_DEVIATION = 0.01

/** A passage with its score by words (0 if it contains no word of the query), and its cosine if it has an embedding. */
export interface FusedCandidate {
  readonly score: number
  readonly similarity: number | undefined
}

/** The average and the standard deviation of the cosines of all compared passages. */
export interface Crowd {
  readonly average: number
  readonly deviation: number
}

/** Computes the average and the deviation of those cosines that are numbers. */
export const crowdOf = (similarities: ReadonlyArray<number>): Crowd => {
  const known = similarities.filter((similarity) => !Number.isNaN(similarity))
  const mean = (values: ReadonlyArray<number>) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const average = mean(known)
  return { average, deviation: Math.sqrt(mean(known.map((value) => (value - average) ** 2))) }
}

/**
 * Returns the fused score of each passage; the `Crowd` contains the statistics of all compared cosines. A passage
 * without an embedding counts as unrelated. `weight` is the value of one standard deviation, as a share of the best
 * score by words.
 */
export const fusedScores = (
  candidates: ReadonlyArray<FusedCandidate>,
  { average, deviation }: Crowd,
  weight: number = FUSION.weight
): ReadonlyArray<number> => {
  const best = candidates.reduce((most, { score }) => Math.max(most, score), 0) || 1
  const above = (similarity: number | undefined): number =>
    similarity === undefined || Number.isNaN(similarity)
      ? 0
      : Math.max(0, (similarity - average + LEAST_DEVIATION) / (deviation + LEAST_DEVIATION))
  return candidates.map(({ score, similarity }) => score / best + weight * above(similarity))
}

/** The cosine of two embeddings of the same length. */
export const cosine = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): number => {
  let product = 0
  let ofOne = 0
  let ofOther = 0
  for (const [place, value] of one.entries()) {
    const beside = other[place] ?? 0
    product += value * beside
    ofOne += value * value
    ofOther += beside * beside
  }
  return product / Math.sqrt(ofOne * ofOther)
}

/**
 * A passage is relevant to a question if it contains at least `words` of the question's words, or words with at least
 * the share `least` of the question's weight, in which a name weighs as much as `nameWeight` other words. For "What is
 * the capital of Mongolia?", "capital" alone is not enough. In a language that capitalises all nouns, no word counts as
 * a name. If an embedder compared both, a cosine of at least `similarity` is enough as well. The README reports the
 * measurements.
 */
export const RELEVANCE = { words: 2, least: 0.25, nameWeight: 4, similarity: 0.25 } as const

/** Questions with more words are not judged, because every passage contains some of their words. */
const MOST_WORDS = 50

/** Beginnings of words that ask for the whole of a text; then any passage may be a part of the answer. */
const WHOLE = new RegExp(
  "^(?:summar|overview|outlin|gist$|tldr$|translat|zusammenfass|zusammengefasst|fasse?$|überblick|übersetz|" +
    "résum|resum(?!e$)|aperçu|tradu|riassu|sintesi|síntesis|síntese|visão$|rezum|samenvat|overzicht|vertaal|" +
    "sammanfat|sammenfat|oppsummer|opsummer|sammendrag|översikt|oversikt|tiivist|yhteenve|" +
    "streszcz|podsum|shrň|shrn|souhrn|zhrň|súhrn|összefogl|özet|ringkas|rangkum|" +
    "суммир|резюм|обзор|перевед|подсум|підсум|узагальн|περίληψ|περιληψ|σύνοψ|συνόψ|συνοψ|לסכם|סכם|סיכום|תקציר)",
  "u"
)
/** Beginnings of words for documents in general. */
const DOCUMENTS = new RegExp(
  "^(?:docum|files?$|pdf|attach|upload|dokum|datei|anhang|fichier|archivo|arquivo|ficheiro|bestand|asiakirj|" +
    "tiedosto|докум|файл)",
  "u"
)
/** Phrases that ask what a text is about, and words for a summary in scripts whose words are cut into characters. */
const ABOUT = new RegExp(
  "\\b(?:what(?:'s|’s| is| are|s)? (?:this|it|these|the \\p{L}+) (?:all )?about|tl;dr|worum geht|worum handelt|wovon handelt|" +
    "de quoi (?:parle|traite|s['’]agit)|de qué (?:trata|habla)|do que (?:trata|fala)|di (?:cosa|che) (?:parla|tratta|si tratta)|" +
    "waar gaat|waarover gaat|vad handlar|hvad handler|hva handler|mistä (?:tässä )?(?:on kyse|kertoo))|" +
    "(?<!\\p{L})(?:о ч[её]м|про що|o czym|o čem|miről szól)|总结|總結|摘要|概括|概述|归纳|讲什么|講什麼|要約|まとめ|概要|何について|요약|정리해|لخص|ملخص|تلخيص|सारांश|संक्षेप|สรุป|tóm tắt",
  "u"
)

/**
 * Returns true if a question asks for whole documents: for a summary, for their subject, or for documents without
 * naming anything in them.
 */
export const asksForWhole = (question: string): boolean => {
  const telling = tellingWords(question)
  if (telling.some((word) => WHOLE.test(word)) || ABOUT.test(question.slice(0, MAX_QUERY_LENGTH).toLowerCase())) {
    return true
  }
  const others = telling.filter((word) => !DOCUMENTS.test(word))
  if (others.length === telling.length) return false
  // "resume" is an imperative in Spanish and Portuguese; in English it is a noun or another verb.
  return others.length === 0 || (others.length <= 2 && others.includes("resume"))
}

/**
 * Matches names within a sentence, as most languages write them; abbreviations are left out, because the text may
 * contain the full words.
 */
const NAMES = /(?<=[^.!? ] )\p{Lu}\p{Ll}[\p{L}\p{M}]*/gu

/** Returns the content words of a question with their weights; undefined if the question is not judged. */
const weighWords = (question: string, found: ReadonlyArray<FoundPassage>): ReadonlyMap<string, number> | undefined => {
  const telling = new Set(tellingWords(question))
  if (telling.size > MOST_WORDS || telling.values().some((word) => WHOLE.test(word) || DOCUMENTS.test(word))) {
    return undefined
  }
  const isGerman = searchLanguageOf(found.map(({ text }) => text).join("\n")) === "de"
  const written = isGerman ? [] : (question.slice(0, MAX_QUERY_LENGTH).replace(/\s+/gu, " ").match(NAMES) ?? [])
  const names = new Set(searchableText(written.join(" ")).split(" "))
  const weights = new Map<string, number>()
  for (const word of telling) weights.set(foldedTerm(word), names.has(word) ? RELEVANCE.nameWeight : 1)
  return weights
}

/** Returns those of the asked words that a text contains in some form. */
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
 * Leaves out found passages that are too unrelated to a question to be sent and paid for: judged by the words of both
 * and, if an embedder compared them, by their meaning. A name in the question counts for all found passages of a
 * document if one of them or the file's name contains it, because a contract, for example, names its parties only once.
 * If a question asks for the whole of a text, all passages stay.
 * @param nearFrom the minimum cosine at which a passage stays
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

/**
 * Passages with less than this share of the best score are left out. The share is low because a question with two
 * subjects needs passages that have only half of its words, in a document with only half of the best document's score.
 * The README reports the measurements.
 */
const NEAR_BEST = 0.125

/**
 * Leaves out passages whose score is far below the best one. Passages that an embedder finds near (`nearFrom`, as
 * above) stay, because meaning has a small share in the score.
 */
export const nearBest = (
  found: ReadonlyArray<FoundPassage>,
  nearFrom: number = RELEVANCE.similarity
): ReadonlyArray<FoundPassage> => {
  const best = found.reduce((most, { score }) => Math.max(most, score), 0)
  return found.filter(({ score, similarity = -1 }) => score >= NEAR_BEST * best || similarity >= nearFrom)
}
