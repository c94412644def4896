import { describe, expect, it } from "vitest"
import { newDocument } from "../../src/testing/storage/storageFixtures.ts"
import { cosine } from "../../src/documents/searching/relevantPassages.ts"
import {
  type AskedEmbedding,
  indexPassage,
  searchPassages
} from "../../src/documents/searching/InMemoryPassageSearch.ts"

/** Numbers from 0 to 1 that a seed decides. */
const random = (seed: number) => {
  let state = seed
  return (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

const TOPICS = 60
const PASSAGES_PER_TOPIC = 5
const DIMENSIONS = 48
const DEPTH = 10

/**
 * Passages of topics, some of which have words of theirs, among words that all have; a question has two words of its
 * topic and some of the others'. What words find is good and far from perfect, as it is of people's questions.
 */
const makeCollection = () => {
  const next = random(7)
  const common = () => `common${Math.floor(300 ** next())}`
  const passages = Array.from({ length: TOPICS * PASSAGES_PER_TOPIC }, (_, number) => {
    const topic = number % TOPICS
    const own = [0, 1, 2].filter(() => next() < 0.4).map((word) => `topic${topic}word${word}`)
    return { topic, text: [...own, ...Array.from({ length: 30 }, common)].join(" ") }
  })
  const questions = Array.from({ length: TOPICS }, (_, topic) => ({
    topic,
    text: [`topic${topic}word0`, `topic${topic}word1`, ...Array.from({ length: 8 }, common)].join(" ")
  }))
  return { passages, questions }
}

const { passages, questions } = makeCollection()

/**
 * Embeddings that distinguish topics by `signal`, from not at all (0) to nearly always. `alike` is the similarity of
 * all texts, in which models differ.
 */
const makeEmbeddings = (signal: number, alike: number) => {
  const noise = random(11)
  const vector = () => Array.from({ length: DIMENSIONS }, () => noise() + noise() + noise() - 1.5)
  const topics = Array.from({ length: TOPICS }, vector)
  const embed = (topic: number) =>
    vector().map((value, place) => value + signal * (topics[topic]?.[place] ?? 0) + alike)
  return {
    ofPassages: passages.map(({ topic }) => embed(topic)),
    ofQuestions: questions.map(({ topic }) => embed(topic))
  }
}

/** Normalised discounted gain of the first ten, by topic. */
const gainOf = (topic: number, found: ReadonlyArray<number>): number => {
  const gain = (relevant: ReadonlyArray<boolean>) =>
    relevant.slice(0, DEPTH).reduce((sum, hit, rank) => sum + (hit ? 1 / Math.log2(rank + 2) : 0), 0)
  return (
    gain(found.map((number) => passages[number]?.topic === topic)) /
    gain(Array.from({ length: PASSAGES_PER_TOPIC }, () => true))
  )
}

const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Of each question how well words find, how well embeddings do, and how well both together by each weight. */
const measure = (signal: number, alike: number, weights: ReadonlyArray<number | undefined>) => {
  const { ofPassages, ofQuestions } = makeEmbeddings(signal, alike)
  const document = newDocument("ann")
  const indexed = passages.map(({ text }, ordinal) =>
    indexPassage({ ordinal, page: null, start: 0, end: text.length, text }, "en", ofPassages[ordinal])
  )
  const owned = [{ document, language: "en" as const, passages: indexed }]
  const search = (question: number, asked?: AskedEmbedding) =>
    searchPassages(
      owned,
      { userId: "ann", documentIds: [document.id], query: questions[question]!.text, limit: DEPTH },
      asked
    ).map(({ ordinal }) => ordinal)
  const near = (embedding: ReadonlyArray<number>) =>
    ofPassages
      .map((vector, number) => ({ number, similarity: cosine(vector, embedding) }))
      .toSorted((one, other) => other.similarity - one.similarity)
      .map(({ number }) => number)
  const each = (find: (question: number) => ReadonlyArray<number>) =>
    questions.map(({ topic }, question) => gainOf(topic, find(question)))
  return {
    words: each((question) => search(question)),
    meaning: each((question) => near(ofQuestions[question]!)),
    both: weights.map((weight) => each((question) => search(question, { embedding: ofQuestions[question]!, weight })))
  }
}

/** The mean over the questions at even places, or odd ones. */
const meanOfHalf = (values: ReadonlyArray<number>, half: 0 | 1) => mean(values.filter((_, place) => place % 2 === half))

const WEIGHTS = [undefined, 0.1, 0.4]

describe("Words and meaning together", () => {
  it.each([
    ["know nothing", 0, 0, -0.02],
    ["know little", 0.4, 0, 0],
    ["know much, but less than words", 0.6, 0, 0.04],
    ["know more than words", 0.8, 0, 0.06],
    ["know more than words, all texts being alike to them", 0.8, 0.8, 0.04]
  ])(
    "find at least about as well as words alone, without being told how good embeddings are, where those %s",
    (_, signal, alike, gain) => {
      const { both, words } = measure(signal, alike, [undefined])
      expect(mean(both[0] ?? [])).toBeGreaterThanOrEqual(mean(words) + gain)
    }
  )

  it.each([
    ["more than words", 0.8, 0, 0],
    ["nearly all", 2, 0, 0.02]
  ])(
    "find as well as the better of the two, by a weight that was chosen on other questions, where embeddings know %s",
    (_, signal, alike, tolerance) => {
      const { both, meaning, words } = measure(signal, alike, WEIGHTS)
      const chosen = both.toSorted((one, other) => meanOfHalf(other, 0) - meanOfHalf(one, 0))[0] ?? []
      const better = Math.max(meanOfHalf(words, 1), meanOfHalf(meaning, 1))
      expect(meanOfHalf(chosen, 1)).toBeGreaterThanOrEqual(better - tolerance)
    }
  )
})
