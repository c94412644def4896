import { FUNCTION_WORDS, LANGUAGES, type Language, type QuotedPassage } from "@parley/core/adapter"
import { STEMMERS } from "./bundled/stemmers.ts"
import { reflow, splitSentences, type TextSpan } from "@parley/core/reading"

/** The number of UTF-16 units of a text that are examined. */
const SAMPLE_LENGTH = 4_000
const LETTERS = /\p{L}+/gu

/**
 * Returns the language of a text, by its function words; undefined if the text has too few of any language, or if two
 * languages fit alike. `least` is the number it must have, 3 by default.
 */
export const languageOf = (text: string, least = 3): Language | undefined => {
  const counts = new Map<Language, number>()
  for (const [word] of text.slice(0, SAMPLE_LENGTH).toLowerCase().matchAll(LETTERS)) {
    for (const language of LANGUAGES) {
      if (FUNCTION_WORDS[language].has(word)) counts.set(language, (counts.get(language) ?? 0) + 1)
    }
  }
  const [best, second] = [...counts].sort(([, one], [, other]) => other - one)
  if (best === undefined || best[1] < least || best[1] === second?.[1]) return undefined
  return best[0]
}

/** Languages with compound words: "Jahresprämie" contains "Prämie". */
const COMPOUNDING: ReadonlySet<Language> = new Set(["da", "de", "fi", "nl", "no", "sv"])

const segmenter = new Intl.Segmenter("en", { granularity: "word" })
/** An article or pronoun that lost its vowel before the word. */
const ELISION = /^(?:\p{L}|qu|lorsqu|jusqu|puisqu|un|d?all|dell|nell|sull|quest)['’](?=\p{L})/u

/** The words of a text in small letters, in order, with their elisions and possessive endings off. */
const wordsOf = (text: string): ReadonlyArray<string> => {
  const words: Array<string> = []
  for (const { isWordLike, segment } of segmenter.segment(text.normalize("NFKC").toLowerCase())) {
    if (isWordLike === true) words.push(segment.replace(ELISION, "").replace(/['’]s?$/u, ""))
  }
  return words
}

/** The stem of a word; the word itself if it contains a digit or its language is unknown. */
const stemOf = (word: string, language: Language | undefined): string =>
  language === undefined || /\p{N}/u.test(word) ? word : STEMMERS[language](word)

/** The stems of a text without its function words. */
const stemsOf = (text: string, language: Language | undefined): ReadonlySet<string> => {
  const stems = new Set<string>()
  for (const word of wordsOf(text)) {
    if (language === undefined || !FUNCTION_WORDS[language].has(word)) stems.add(stemOf(word, language))
  }
  return stems
}

const LEAST_PART = 4
const LEAST_REST = 2

/** True if one stem begins or ends the other, which is a compound in this language. */
const isPartOf = (part: string, whole: string, language: Language | undefined): boolean =>
  language !== undefined &&
  COMPOUNDING.has(language) &&
  part.length >= LEAST_PART &&
  whole.length >= part.length + LEAST_REST &&
  (whole.startsWith(part) || whole.endsWith(part))

/** A unit that can be quoted: a sentence, an item of a list, or a row of a table. */
interface Unit {
  readonly passage: QuotedPassage
  /** The passage as it is shown, and the place of the unit in it. */
  readonly shown: string
  readonly start: number
  readonly end: number
  /** Place among all units, in the order of the passages and within them. */
  readonly order: number
  /** The paragraph, list or table it is in; a quotation does not reach over its end. */
  readonly block: number
  readonly language: Language | undefined
  readonly stems: ReadonlySet<string>
  /** Stems of the heading, or of the question, that it stands under. */
  readonly heading: ReadonlySet<string>
  /** A heading, which is not quoted alone. */
  readonly isHeading: boolean
}

/** Markdown marks before and after a text. */
const OPENING = /^(?:#{1,6}\s+|[-*+•–·]\s+|>\s*|\*\*|__|\|\s*)*/u
const CLOSING = /(?:\*\*|__|\s*\|)*$/u
const MARKED_HEADING = /^#{1,6}\s|^\*\*[^*]+\*\*$/u
const LONGEST_HEADING = 80
const ITEM = /^[-*+•–·]\s|^\|/u
const ROW = /\t|^\|/u
const NONE: ReadonlySet<string> = new Set()

/** A line that stands alone, is short and ends like no sentence; or one that its author marked as a heading. */
const headsLine = (line: string, next: string | undefined): boolean =>
  MARKED_HEADING.test(line) ||
  (next !== undefined &&
    line.length <= LONGEST_HEADING &&
    !/[.!,;|\t…]|:$/u.test(line.replace(/^[\d.]+\s/u, "")) &&
    !ITEM.test(line) &&
    next.length > line.length)

/** "Limitations." or "Artículo 4." before the sentences of a paragraph. */
const PARAGRAPH_HEAD = /^\p{L}{4,}(?: [\d.]+)?\.$/u

const addUnits = (units: Array<Unit>, passage: QuotedPassage, fileLanguage: Language | undefined): void => {
  const language = languageOf(passage.text) ?? fileLanguage
  const shown = reflow(passage.text).text
  const lines = shown.split("\n")
  let heading = passage.headings.length === 0 ? NONE : stemsOf(passage.headings.join(" "), language)
  let block = 0
  let lineStart = 0

  const add = (span: TextSpan, under: ReadonlySet<string>, isHeading: boolean) => {
    const marked = shown.slice(span.start, span.end)
    const opening = OPENING.exec(marked)?.[0].length ?? 0
    const said = marked.slice(opening).replace(CLOSING, "")
    if (!/[\p{L}\p{N}]/u.test(said)) return
    const start = span.start + opening
    const stems = stemsOf(said, language)
    const end = start + said.length
    const order = units.length
    units.push({ passage, shown, start, end, order, block, language, stems, heading: under, isHeading })
  }

  const addSentences = (line: string) => {
    const spans = splitSentences(line)
    let under = heading
    for (const [index, { start, end }] of spans.entries()) {
      const sentence = line.slice(start, end)
      const heads = index < 2 && index < spans.length - 1 && PARAGRAPH_HEAD.test(sentence)
      if (heads) under = new Set([...under, ...stemsOf(sentence, language)])
      add({ start: lineStart + start, end: lineStart + end }, under, heads)
    }
  }

  for (const [index, line] of lines.entries()) {
    let next = index + 1
    while (lines[next] === "") next += 1
    if (line === "") block += 1
    else if (headsLine(line, lines[next])) {
      block += 1
      heading = stemsOf(line, language)
      add({ start: lineStart, end: lineStart + line.length }, NONE, true)
    } else {
      if (ROW.test(line)) block += 1
      addSentences(line)
    }
    lineStart += line.length + 1
  }
}

/** Returns the quotable units of these passages, in order. */
const unitsOf = (passages: ReadonlyArray<QuotedPassage>): ReadonlyArray<Unit> => {
  // One language for each file, found from all its passages together, because a single one may be too short to tell.
  const texts = new Map<string, string>()
  for (const { filename, text } of passages) texts.set(filename, `${texts.get(filename) ?? ""} ${text}`)
  const languages = new Map<string, Language | undefined>()
  for (const [filename, text] of texts) languages.set(filename, languageOf(text))
  const units: Array<Unit> = []
  for (const passage of passages) addUnits(units, passage, languages.get(passage.filename))
  return units
}

/** A kind of answer that the question's words ask for, and a pattern that such an answer contains. */
interface Cue {
  readonly asks: RegExp
  readonly has: RegExp
}

const MONEY = /[€$£]|\b(?:eur|euros?|usd|dollars?|chf|francs?|cents?|gbp|pounds?)\b|\d[.,]\d\d\b/iu
const AMOUNT = /\d/u
const DURATION =
  /\d[^.]{0,12}(?:sec|min|h\b|hour|day|week|month|year|yr|sekunde|stunde|tag|woche|monat|jahr|heure|jour|semaine|mois|\ban|segundo|hora|día|dia|semana|mes|año|ano|or[ae]\b|giorn|settiman|mes[ei]|ann[oi]|uur|dag|maand|ja+r)|(?:one|two|three|four|five|six|ten|thirty|zwei|drei|vier|fünf|sechs|deux|trois|quatre|cinq|douze|dos|tres|cuatro|cinco|doce|treinta) (?:business |working )?(?:day|week|month|year|hour|tag|woche|monat|jahr|werktag|heure|jour|mois|semaine|an|día|mes|hora|año)/iu
const DATE =
  /\d{1,2}[.:]\d\d|\b(?:19|20)\d\d\b|\d\s?(?:a\.m|p\.m|h\b|uhr)|\d{1,2}(?:st|nd|rd|th|\.)? (?:jan|feb|m[aä]r|apr|a[bv]r|ma[iy]|jun|jul|aug|ago|sep|okt|oct|nov|de[czs]|ene|f[ée]v|janv|juin|juil|ao[uû]t)|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|sábado|domingo)|\bdue\b|within|innerhalb/iu

const CUES: ReadonlyArray<Cue> = [
  {
    asks: /\b(?:cost|price|fee|pay|charge|kostet?|preis|teuer|prix|coûte|tarif|cuesta|precio|cuánto vale|costa|prezzo|prijs|kosten)\b|how expensive/iu,
    has: MONEY
  },
  {
    asks: /\bhow (?:long|quickly|fast|soon|often)|\bwie (?:lange|schnell|oft)|kündigungsfrist|combien de temps|quel délai|cuánto tiempo|quanto tempo|hoe lang/iu,
    has: DURATION
  },
  {
    asks: /\b(?:when|what time|which day|wann|uhrzeit|quand|quelle heure|quel jour|cuándo|qué hora|quando|che ora|wanneer)\b/iu,
    has: DATE
  },
  {
    asks: /\bhow (?:much|many|high|old|far|large|big|warm|hot)|\bwie (?:viele?|hoch|groß|alt|weit|warm)|wieviele?|welche[mnr]? (?:wert|höhe|temperatur)|combien|quelle température|cuánt[oa]s?|quant[oiae]|hoeveel|hur många|hvor mange/iu,
    has: AMOUNT
  }
]

/** Question words that carry no content. */
const ASKING = new Set(
  (
    "please tell explain describe list give show know much many long often far high old happen happens mean means " +
    "bitte erkläre nenne gib zeig viel viele lange oft hoch gibt gelten gilt bedeutet heißt " +
    "s'il plaît dis explique peux peut-on faut faire fait-on fait t-on temps expliquez " +
    "dime explica puedo puede tiempo hace favor dimmi spiega posso può leg uit vertel"
  ).split(" ")
)

/** A question taken apart. */
export interface ReadQuestion {
  readonly language: Language | undefined
  /** The words it is about, in small letters, each once. */
  readonly words: ReadonlyArray<string>
  /** The words that name one thing: with a digit, or with a capital in a language where only names have one. */
  readonly names: ReadonlySet<string>
  /** A pattern that an answer contains, if the question shows it. */
  readonly wants: RegExp | undefined
}

const ALL_FUNCTION_WORDS = new Set(LANGUAGES.flatMap((language) => [...FUNCTION_WORDS[language]]))
/** Small words of direction belong to the question: to turn off, to put up. */
const DIRECTIONS = new Set(["off", "out", "up", "down", "over", "under", "after", "before"])

/** Parses a question. If it is too short to detect its language, the function words of all languages are dropped. */
export const readQuestion = (question: string): ReadQuestion => {
  const language = languageOf(question, 2) ?? languageOf(question, 1)
  const skipped = language === undefined ? ALL_FUNCTION_WORDS : FUNCTION_WORDS[language]
  const words = new Set<string>()
  for (const word of wordsOf(question)) {
    if ((!skipped.has(word) || DIRECTIONS.has(word)) && !ASKING.has(word)) words.add(word)
  }
  const named = language === "de" ? /\p{N}/u : /[\p{N}\p{Lu}]/u
  const names = new Set<string>()
  for (const word of question.trim().split(/\s+/u).slice(1)) {
    if (named.test(word)) for (const name of wordsOf(word)) names.add(name)
  }
  return { language, words: [...words], names, wants: CUES.find(({ asks }) => asks.test(question))?.has }
}

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

/** A word of the question with its matches, by the place of the unit. */
interface AskedWord {
  readonly within: ReadonlyArray<number>
  readonly around: ReadonlyArray<number>
  readonly weight: number
}

/**
 * Matches a word of the question with each unit, by the unit's language. It counts the more the fewer units have it.
 */
const matchWord = (word: string, isName: boolean, units: ReadonlyArray<Unit>): AskedWord => {
  const within: Array<number> = []
  let matches = 0
  for (const { language, stems } of units) {
    const match = matchWithin(stemOf(word, language), stems, language)
    within.push(match)
    if (match > 0) matches += 1
  }
  const around: Array<number> = []
  for (const [index, { heading, language, passage }] of units.entries()) {
    let best = FOUND.inHeading * matchWithin(stemOf(word, language), heading, language)
    if (units[index - 1]?.passage === passage) best = Math.max(best, FOUND.before * (within[index - 1] ?? 0))
    if (units[index + 1]?.passage === passage) best = Math.max(best, FOUND.after * (within[index + 1] ?? 0))
    around.push(best)
  }
  // A word that no passage contains counts like a rare one, because the passages may use a synonym; a name has none.
  const missing = matches === 0 && isName ? MISSING_NAME : 1
  return { within, around, weight: missing * Math.log(1 + (1 + units.length) / (1 + Math.max(1, matches))) }
}

/** Scores each unit by the words of the question. */
const scoreUnits = ({ names, wants, words }: ReadQuestion, units: ReadonlyArray<Unit>): ReadonlyArray<Scored> => {
  const asked: Array<AskedWord> = []
  let whole = 0
  for (const word of words) {
    const matched = matchWord(word, names.has(word), units)
    asked.push(matched)
    whole += matched.weight
  }
  const scored: Array<Scored> = []
  for (const [index, unit] of units.entries()) {
    let covered = 0
    let own = 0
    for (const { around, weight, within } of asked) {
      covered += weight * Math.max(within[index] ?? 0, around[index] ?? 0)
      own += weight * (within[index] ?? 0)
    }
    const wanted = wants !== undefined && own > 0 && wants.test(saidBy(unit)) ? WANTED : 0
    scored.push({ unit, coverage: covered / whole, score: covered / whole + own / whole / 4 + wanted })
  }
  return scored
}

/** Shortens a text to `length` UTF-16 units, between words if possible, never within a character. */
export const shorten = (text: string, length: number): string => {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  const space = cut.lastIndexOf(" ")
  return `${(space > length / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, "")).trimEnd()} …`
}

/** An answer this short ("No.") belongs to the sentence after it. */
const SHORT_ANSWER = 12

/** Joins a unit with the following ones of its block that fit and were not quoted yet, and marks them as quoted. */
const quotation = (best: Unit, units: ReadonlyArray<Unit>, said: Set<string>): Quote => {
  const before = units[best.order - 1]
  const isOfBlock = before?.passage === best.passage && before.block === best.block && !before.isHeading
  const isShort = isOfBlock && before.end - before.start <= SHORT_ANSWER && !said.has(saidBy(before))
  const first = isShort ? before : best
  said.add(saidBy(first)).add(saidBy(best))
  let { end } = best
  for (const next of units.slice(best.order + 1)) {
    if (next.passage !== best.passage || next.block !== best.block || next.isHeading) break
    if (said.has(saidBy(next)) || next.end - first.start > AIM_LENGTH) break
    end = next.end
    said.add(saidBy(next))
  }
  return { number: best.passage.number, text: shorten(saidBy({ ...best, start: first.start, end }), MAX_LENGTH) }
}

const saidBy = ({ end, shown, start }: Unit): string => shown.slice(start, end).replace(/\s+/gu, " ")

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
