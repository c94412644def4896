import { FUNCTION_WORDS, LANGUAGES } from "../searching/languageOf.ts"

/** A part of a text, by UTF-16 offsets. */
export interface TextSpan {
  readonly start: number
  readonly end: number
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** Always before a name, or between the two that it compares. */
const TITLES = words(
  "mr mrs ms mx dr prof mag dipl ing st ste hr fr mme mlle mgr sig dott avv sr sra srta don rev gen col lt capt vs"
)

/** Followed by more of the same sentence, unless the next word can only begin one. */
const SHORTENED = words(
  "fig figs abb tab eq eqs sec sect chap kap bd vol vols ref refs abs ziff lit anm pp cf vgl bzw ca approx env incl inkl excl exkl zzgl einschl " +
    "insb insbes esp sog ggf evtl gem tel str ave blvd jan feb febr mar apr jun jul aug sep sept oct okt nov dec dez janv févr avr juil déc ene abr ago dic " +
    "mon tue tues wed thu thur fri sat sun bspw resp dept univ geb pág pag págs núm ej ex vid al"
)

/** Shortened before a number; else a word at the end of a sentence. */
const BEFORE_NUMBER = words("no nos nr nrn num art arts p s min max máx mín ch bl")

/** Abbreviations with a point after each letter, which occur at the end of a sentence as often as within one. */
const TIMES = words("a.m p.m")

const STARTERS: ReadonlySet<string> = new Set(LANGUAGES.flatMap((language) => [...FUNCTION_WORDS[language]]))
/** Words before the number of a day or of a king. */
const BEFORE_ORDINAL = words(
  "ab am beim bis das dem den der des die im jedem jeden nach seit vom vor zum zur den di el le"
)

/** A possible end: marks with what closes after them, before white space or at the end; wide ones need no space. */
const END = /[.!?…؟۔।]+["'”’»)\]*_]*(?=\s|$)|[。！？]+[」』”’）]*/gu
const DOTTED = /^(?:\p{L}{1,2}\.)+\p{L}{1,3}$/u
const WORD_BEFORE = /[\p{L}\p{N}.]+$/u
const NEXT_WORD = /^[^\p{L}\p{N}\s]*([\p{L}\p{N}'’]+)(\.?)/u
const ROW = /\t|^\s*\|.*\|\s*$/u

interface Place {
  /** The word before the mark, up to white space: `Fig` of `(Fig. 3)`. */
  readonly word: string
  /** The word before that one, if it is on the same line. */
  readonly before: string
  /** A letter that belongs to a number or to other signs: "25 °C", "14.00 h", "c=d". */
  readonly isPart: boolean
  /** The word is the sentence's first. */
  readonly first: boolean
  readonly next: string
  /** The next word has a point after it. */
  readonly nextShort: boolean
}

const isNumber = (word: string): boolean => /^\p{N}/u.test(word)
const isStarter = (word: string): boolean => /^\p{Lu}/u.test(word) && STARTERS.has(word.toLowerCase())

/** Whether a single point ends a sentence. */
const pointEnds = ({ before, first, isPart, next, nextShort, word }: Place): boolean => {
  const small = word.toLowerCase()
  if (TITLES.has(small)) return false
  if (SHORTENED.has(small)) return isStarter(next)
  if (BEFORE_NUMBER.has(small) && isNumber(next)) return false
  if (DOTTED.test(word)) return TIMES.has(small) || isStarter(next)
  if (/^\p{L}$/u.test(word)) {
    if (isPart) return true
    if (nextShort && /^\p{L}{1,2}$/u.test(next)) return false
    return !/^\p{L}\.?$/u.test(before) && isStarter(next)
  }
  if (/^\p{N}{1,2}$/u.test(word)) {
    return !first && !(BEFORE_ORDINAL.has(before.toLowerCase()) && !isStarter(next))
  }
  return true
}

/** `from` is the beginning of the sentence. */
const placeOf = (line: string, from: number, markAt: number, end: number): Place => {
  const head = line.slice(Math.max(from, markAt - 80), markAt)
  const word = WORD_BEFORE.exec(head)?.[0] ?? ""
  const rest = head.slice(0, head.length - word.length).trimEnd()
  const [, next = "", point] = NEXT_WORD.exec(line.slice(end, end + 80).trimStart()) ?? []
  const before = /\S+$/u.exec(rest)?.[0] ?? ""
  const attached = /[^\s([{"'“„‘«]$/u.test(head.slice(0, head.length - word.length))
  const isPart = attached || (/^\p{Ll}/u.test(word) && isNumber(before))
  const first = !/[\p{L}\p{N}]/u.test(rest)
  return { word, before, isPart, first, next, nextShort: point === "." }
}

const endsHere = (line: string, from: number, mark: string, at: number): boolean => {
  const end = at + mark.length
  if (/^[。！？]/u.test(mark) || line.slice(end).trim() === "") return true
  const place = placeOf(line, from, at, end)
  if (/^\p{Ll}/u.test(place.next)) return false
  return mark !== "." || pointEnds(place)
}

/**
 * The sentences of a text, in order: together they hold all that is not white space, none reaches over a line end, and a
 * row of a table is one. A point after an abbreviation ("vs.", "Fig.", "No. 5", "z. B."), an initial, a day ("am 3. März") or within a number ends
 * none. Meant for a text whose lines are paragraphs (`reflow`). Linear in the length of the text.
 */
export const splitSentences = (text: string): ReadonlyArray<TextSpan> => {
  const found: Array<TextSpan> = []
  let lineStart = 0
  const add = (from: number, to: number) => {
    const part = text.slice(from, to)
    const trimmed = part.trimStart()
    if (trimmed !== "") found.push({ start: to - trimmed.length, end: from + part.trimEnd().length })
  }
  for (const line of text.split("\n")) {
    let from = 0
    for (const { 0: mark, index } of ROW.test(line) ? [] : line.matchAll(END)) {
      if (!endsHere(line, from, mark, index)) continue
      add(lineStart + from, lineStart + index + mark.length)
      from = index + mark.length
    }
    add(lineStart + from, lineStart + line.length)
    lineStart += line.length + 1
  }
  return found
}
