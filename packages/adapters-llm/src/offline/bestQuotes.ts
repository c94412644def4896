import type { QuotedPassage } from "@parley/core/adapter"
import { type ReadQuestion, readQuestion } from "./questionCues.ts"
import { type Unit, unitsOf } from "./passageUnits.ts"
import { isPartOf, stemOf } from "./wordStems.ts"

/** A quotation: words of one passage. */
export interface Quote {
  readonly number: number
  readonly text: string
}

const MAX_QUOTES = 2
/** A quotation continues with the next sentences up to this length, and is cut at the other one. */
const AIM_LENGTH = 320
const MAX_LENGTH = 400

/**
 * Least share of the question that the best sentence, with its heading and its neighbours, must cover; otherwise there
 * is no match.
 */
const LEAST_COVERAGE = 0.5
/** A second quotation scores at least this share of the first. */
const SECOND_SHARE = 0.8

/** Weight of a word of the question, by the place where it is found. */
const FOUND = { exactly: 1, inCompound: 0.8, inHeading: 0.8, before: 0.4, after: 0.25 } as const
/** Factor for a name that no passage contains. */
const MISSING_NAME = 2
/** Bonus for a sentence that contains the kind of answer that the question asks for, for example a date. */
const WANTED = 0.15

const matchWithin = (stem: string, stems: ReadonlySet<string>, language: Unit["language"]): number => {
  if (stems.has(stem)) return FOUND.exactly
  for (const other of stems) {
    if (isPartOf(stem, other, language) || isPartOf(other, stem, language)) return FOUND.inCompound
  }
  return 0
}

interface Scored {
  readonly unit: Unit
  /** The share of the question's words that the sentence and its surroundings cover, from 0 to 1. */
  readonly coverage: number
  readonly score: number
}

/** Matches of one word of the question with each unit, by the unit's language. */
const matchesOf = (word: string, units: ReadonlyArray<Unit>) => {
  const within = units.map(({ language, stems }) => matchWithin(stemOf(word, language), stems, language))
  const around = units.map((unit, index) => {
    const same = (other: Unit | undefined) => other?.passage === unit.passage
    return Math.max(
      FOUND.inHeading * matchWithin(stemOf(word, unit.language), unit.heading, unit.language),
      same(units[index - 1]) ? FOUND.before * (within[index - 1] ?? 0) : 0,
      same(units[index + 1]) ? FOUND.after * (within[index + 1] ?? 0) : 0
    )
  })
  return { within, around, units: within.filter((match) => match > 0).length }
}

/** Scores each unit: a word counts the more the fewer units have it. */
const scoreUnits = ({ names, wants, words }: ReadQuestion, units: ReadonlyArray<Unit>): ReadonlyArray<Scored> => {
  const asked = words.map((word) => {
    const matches = matchesOf(word, units)
    // A word that no passage contains counts like a rare one, because the passages may use a synonym; a name has none.
    const missing = matches.units === 0 && names.has(word) ? MISSING_NAME : 1
    return { ...matches, weight: missing * Math.log(1 + (1 + units.length) / (1 + Math.max(1, matches.units))) }
  })
  const whole = asked.reduce((sum, { weight }) => sum + weight, 0)
  return units.map((unit, index) => {
    const coverage =
      asked.reduce((sum, { around, weight, within }) => {
        return sum + weight * Math.max(within[index] ?? 0, around[index] ?? 0)
      }, 0) / whole
    const own = asked.reduce((sum, { weight, within }) => sum + weight * (within[index] ?? 0), 0) / whole
    const wanted = wants !== undefined && own > 0 && wants.test(saidBy(unit)) ? WANTED : 0
    return { unit, coverage, score: coverage + own / 4 + wanted }
  })
}

/** Shortens a text to `length` UTF-16 units, between words if possible, never within a character. */
export const shorten = (text: string, length: number): string => {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  const space = cut.lastIndexOf(" ")
  return `${(space > length / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, "")).trimEnd()} …`
}

const wordsBetween = ({ shown }: Unit, start: number, end: number): string =>
  shown.slice(start, end).replace(/\s+/gu, " ")

/** An answer this short ("No.") belongs to the sentence after it. */
const SHORT_ANSWER = 12

const isShortAnswer = (unit: Unit | undefined, before: Unit): unit is Unit =>
  unit?.passage === before.passage &&
  unit.block === before.block &&
  !unit.isHeading &&
  unit.end - unit.start <= SHORT_ANSWER

/** Joins a unit with the following ones of its block that fit and were not quoted yet, and marks them as quoted. */
const quotation = (best: Unit, units: ReadonlyArray<Unit>, said: Set<string>): Quote => {
  const before = units[best.order - 1]
  const first = isShortAnswer(before, best) && !said.has(saidBy(before)) ? before : best
  said.add(saidBy(first)).add(saidBy(best))
  let { end } = best
  for (const next of units.slice(best.order + 1)) {
    if (next.passage !== best.passage || next.block !== best.block || next.isHeading) break
    if (said.has(saidBy(next)) || next.end - first.start > AIM_LENGTH) break
    end = next.end
    said.add(saidBy(next))
  }
  return { number: best.passage.number, text: shorten(wordsBetween(best, first.start, end), MAX_LENGTH) }
}

const saidBy = (unit: Unit): string => wordsBetween(unit, unit.start, unit.end)

/**
 * Returns the quotations that answer a question best, best first: sentences that cover most of the question, with the
 * sentences after them in their paragraph; no sentence twice. Empty if no sentence covers enough of it.
 */
export const bestQuotes = (question: string, passages: ReadonlyArray<QuotedPassage>): ReadonlyArray<Quote> => {
  const units = unitsOf(passages)
  const read = readQuestion(question)
  const scored = scoreUnits(read, units)
    .filter(({ coverage, unit }) => !unit.isHeading && coverage >= LEAST_COVERAGE)
    .toSorted((one, other) => other.score - one.score || one.unit.order - other.unit.order)
  const least = (scored[0]?.score ?? 0) * SECOND_SHARE
  const said = new Set<string>()
  const quotes: Array<Quote> = []
  for (const { score, unit } of scored) {
    if (quotes.length === MAX_QUOTES || score < least) break
    if (said.has(saidBy(unit))) continue
    quotes.push(quotation(unit, units, said))
  }
  return quotes
}
