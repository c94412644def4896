import { FUNCTION_WORDS, LANGUAGES, type Language, type QuotedPassage } from "@parley/core/adapter"
import { STEMMERS } from "./bundled/stemmers.ts"
import { reflow, splitSentences, type TextSpan } from "@parley/core/reading"

/** The number of UTF-16 units of a text that are examined to detect its language. */
const SAMPLE_LENGTH = 4_000
const LETTERS = /\p{L}+/gu

/**
 * Returns the language of a text, detected by its function words; undefined if the text has fewer than `least` function
 * words of any language, or if two languages fit equally well.
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

/** Languages with compound words: in German, "Jahresprämie" contains "Prämie". */
const COMPOUNDING: ReadonlySet<Language> = new Set(["da", "de", "fi", "nl", "no", "sv"])

const segmenter = new Intl.Segmenter("en", { granularity: "word" })
/** Matches an article or pronoun that has lost its vowel before a word. */
const ELISION = /^(?:\p{L}|qu|lorsqu|jusqu|puisqu|un|d?all|dell|nell|sull|quest)['’](?=\p{L})/u

/** Returns the words of a text in lower case, in order, without elisions and possessive endings. */
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

/** True if `part` is the beginning or the end of the compound `whole`, in a language with compound words. */
const isPartOf = (part: string, whole: string, language: Language | undefined): boolean =>
  language !== undefined &&
  COMPOUNDING.has(language) &&
  part.length >= LEAST_PART &&
  whole.length >= part.length + LEAST_REST &&
  (whole.startsWith(part) || whole.endsWith(part))

/** A unit that can be quoted: a sentence, an item of a list, or a row of a table. */
interface Unit {
  readonly passage: QuotedPassage
  /** The text of the passage in which the unit is found. */
  readonly shown: string
  readonly start: number
  readonly end: number
  /** The position among all units, in the order of the passages. */
  readonly order: number
  /** The number of the paragraph, list or table that contains the unit; a quotation does not extend beyond it. */
  readonly block: number
  readonly language: Language | undefined
  readonly stems: ReadonlySet<string>
  /** The stems of the heading or question above the unit. */
  readonly heading: ReadonlySet<string>
  /** True if the unit is a heading, which is not quoted alone. */
  readonly isHeading: boolean
}

/** Match the Markdown marks before and after a text. */
const OPENING = /^(?:#{1,6}\s+|[-*+•–·]\s+|>\s*|\*\*|__|\|\s*)*/u
const CLOSING = /(?:\*\*|__|\s*\|)*$/u
const MARKED_HEADING = /^#{1,6}\s|^\*\*[^*]+\*\*$/u
const LONGEST_HEADING = 80
const ITEM = /^[-*+•–·]\s|^\|/u
const ROW = /\t|^\|/u
const NONE: ReadonlySet<string> = new Set()

/**
 * True if the author has marked the line as a heading, or if it stands alone, is short, and does not end like a
 * sentence.
 */
const headsLine = (line: string, next: string | undefined): boolean =>
  MARKED_HEADING.test(line) ||
  (next !== undefined &&
    line.length <= LONGEST_HEADING &&
    !/[.!,;|\t…]|:$/u.test(line.replace(/^[\d.]+\s/u, "")) &&
    !ITEM.test(line) &&
    next.length > line.length)

/** Matches a heading at the beginning of a paragraph, such as "Limitations." or "Artículo 4.". */
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
  // One language is detected for each file, from all its passages together, because a single passage may be too short.
  const texts = new Map<string, string>()
  for (const { filename, text } of passages) texts.set(filename, `${texts.get(filename) ?? ""} ${text}`)
  const languages = new Map<string, Language | undefined>()
  for (const [filename, text] of texts) languages.set(filename, languageOf(text))
  const units: Array<Unit> = []
  for (const passage of passages) addUnits(units, passage, languages.get(passage.filename))
  return units
}

/** A kind of answer: a pattern for the questions that request it, and a pattern that such an answer contains. */
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

/** The parts of a question that the search for quotations needs. */
export interface ReadQuestion {
  readonly language: Language | undefined
  /** The content words of the question, in lower case, without repetitions. */
  readonly words: ReadonlyArray<string>
  /**
   * The words that name one thing: those with a digit, or with a capital in a language in which only names have
   * capitals.
   */
  readonly names: ReadonlySet<string>
  /** A pattern that an answer must contain, if the question shows one. */
  readonly wants: RegExp | undefined
}

const ALL_FUNCTION_WORDS = new Set(LANGUAGES.flatMap((language) => [...FUNCTION_WORDS[language]]))
/** Small words of direction, which belong to the content of a question: to turn off, to put up. */
const DIRECTIONS = new Set(["off", "out", "up", "down", "over", "under", "after", "before"])

/** Parses a question. If it is too short to detect its language, the function words of all languages are removed. */
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

/** A quotation from one passage. */
export interface Quote {
  readonly number: number
  readonly text: string
}

const MAX_QUOTES = 2
/**
 * The length up to which further sentences are added to a quotation, and the length at which it is cut, in UTF-16
 * units.
 */
const AIM_LENGTH = 320
const MAX_LENGTH = 400

/**
 * The least share of the question that the best sentence must cover, together with its heading and its neighbours;
 * below this share there is no match.
 */
const LEAST_COVERAGE = 0.5
/** The least share of the first quotation's score that a second quotation must have. */
const SECOND_SHARE = 0.8

/** The weight of a word of the question by the place where it was found. */
const FOUND = { exactly: 1, inCompound: 0.8, inHeading: 0.8, before: 0.4, after: 0.25 } as const
/** The factor for the weight of a name that no passage contains. */
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

/** A word of the question: its match in each unit, its match in the surroundings of each unit, and its weight. */
interface AskedWord {
  readonly within: ReadonlyArray<number>
  readonly around: ReadonlyArray<number>
  readonly weight: number
}

/**
 * Matches a word of the question with each unit, by the language of the unit. The fewer units have the word, the
 * greater is its weight.
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
  // A word that no passage contains has the weight of a rare word, because the passages may use a synonym. Names have
  // no synonyms, so their weight is higher.
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

/** Shortens a text to `length` UTF-16 units, between words if possible, and never within a character. */
export const shorten = (text: string, length: number): string => {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  const space = cut.lastIndexOf(" ")
  return `${(space > length / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, "")).trimEnd()} …`
}

/** An answer that is at most this long ("No.") is quoted together with the sentence after it. */
const SHORT_ANSWER = 12

/**
 * Joins a unit with the following units of its block that fit and have not been quoted yet, and marks all of them as
 * quoted.
 */
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
 * Returns the quotations that answer a question best, the best first: sentences that cover most of the question, with
 * the next sentences of their paragraph, and no sentence twice. Empty if no sentence covers enough of the question.
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
