import { FUNCTION_WORDS, LANGUAGES } from "../searching/functionWords.ts"

/** A part of a text, by its UTF-16 offsets. */
export interface TextSpan {
  readonly start: number
  readonly end: number
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "))

/** Abbreviations that always precede a name, or stand between two compared things. */
const TITLES = words(
  "mr mrs ms mx dr prof mag dipl ing st ste hr fr mme mlle mgr sig dott avv sr sra srta don rev gen col lt capt vs"
)

/** Abbreviations that are followed by more of the same sentence, unless the next word can only begin a sentence. */
const SHORTENED = words(
  "fig figs abb tab eq eqs sec sect chap kap bd vol vols ref refs abs ziff lit anm pp cf vgl bzw ca approx env incl inkl excl exkl zzgl einschl " +
    "insb insbes esp sog ggf evtl gem tel str ave blvd jan feb febr mar apr jun jul aug sep sept oct okt nov dec dez janv févr avr juil déc ene abr ago dic " +
    "mon tue tues wed thu thur fri sat sun bspw resp dept univ geb pág pag págs núm ej ex vid al"
)

/** Abbreviations only before a number; otherwise words that may end a sentence. */
const BEFORE_NUMBER = words("no nos nr nrn num art arts p s min max máx mín ch bl")

/** Abbreviations with a point after each letter that occur at the end of a sentence as often as within one. */
const TIMES = words("a.m p.m")

const STARTERS: ReadonlySet<string> = new Set(LANGUAGES.flatMap((language) => [...FUNCTION_WORDS[language]]))
/** Words that precede the number of a day or of a king. */
const BEFORE_ORDINAL = words(
  "ab am beim bis das dem den der des die im jedem jeden nach seit vom vor zum zur den di el le"
)

/**
 * A possible end of a sentence: marks with closing quotes and brackets, before white space or at the end; wide marks
 * need no white space.
 */
const END = /[.!?…؟۔।]+["'”’»)\]*_]*(?=\s|$)|[。！？]+[」』”’）]*/gu
const DOTTED = /^(?:\p{L}{1,2}\.)+\p{L}{1,3}$/u
const WORD_BEFORE = /[\p{L}\p{N}.]+$/u
const NEXT_WORD = /^[^\p{L}\p{N}\s]*([\p{L}\p{N}'’]+)(\.?)/u
const ROW = /\t|^\s*\|.*\|\s*$/u

interface Place {
  /** The word before the mark, without marks before it: `Fig` of `(Fig. 3)`. */
  readonly word: string
  /** The word before `word`, if it is on the same line. */
  readonly before: string
  /** True for a letter that belongs to a number or to other signs: "25 °C", "14.00 h", "c=d". */
  readonly isPart: boolean
  /** True if `word` is the first word of the sentence. */
  readonly first: boolean
  readonly next: string
  /** True if the next word is followed by a point. */
  readonly nextShort: boolean
}

const isNumber = (word: string): boolean => /^\p{N}/u.test(word)
const isStarter = (word: string): boolean => /^\p{Lu}/u.test(word) && STARTERS.has(word.toLowerCase())

/** Returns true if a single point ends a sentence. */
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

/** Describes the words around a mark; `from` is the beginning of the sentence. */
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
 * Splits a text into sentences, in order. Together they contain everything except white space; no sentence crosses the
 * end of a line; a row of a table is one sentence. A point after an abbreviation ("vs.", "Fig.", "No. 5", "z. B."), an
 * initial or a day ("am 3. März"), or within a number, ends no sentence. Meant for a text whose lines are paragraphs
 * (`reflow`). Linear in the length of the text.
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

/**
 * Characters that a shown text and its source have in common, from the offset `shown` in the one and `source` in the
 * other.
 */
export interface SharedRun {
  readonly shown: number
  readonly source: number
  readonly length: number
}

/** A text as it is shown to people, with the positions of its characters in the source. */
export interface ReflowedText {
  readonly text: string
  /** In order, without overlap. Between two runs, the source has white space, or a hyphen at the end of a line. */
  readonly runs: ReadonlyArray<SharedRun>
}

/**
 * Lines shorter than this count as complete, and not as wrapped, unless the next line begins with a lower-case letter.
 */
const WRAPPED_LENGTH = 35
/**
 * A wrapped line, together with the first word of the next line, has at least this share of the widest line around it.
 */
const WRAPPED_SHARE = 0.85

/** Matches the beginning of a list item, a heading, a quotation, or a line with a label ("Present: …"). */
const ITEM = /^(?:[-*+•–·]\s|#{1,6}\s|>|\p{L}\)\s|\((?:\p{L}|\d{1,2}|[ivx]{1,4})\)\s|\p{Lu}[\p{L} ]{1,24}:\s)/u
const NUMBERED = /^\d{1,3}(?:[.)]|(?:\.\d{1,3})+\.?)\s+["“„«]?\p{Lu}/u
const TABULAR = /\t|^\|.*\|$|\S {3,}\S/u
const ENDS_NUMBERED = /\d(?:\s*[€$£%])?$/u
/**
 * Characters that are not shown at the beginning or the end of a line: white space, and soft hyphens outside of words.
 */
const LEADING = /^[\s\u00ad]+/u
const TRAILING = /\s[\s\u00ad]*$/u
const FENCE = /^(?:```|~~~)/
const HYPHENATED = /(\p{L}{2,})[-\u2010\u00ad]$/u
/** Before these words, a hyphen at the end of a line represents an omitted part of the word ("Kosten- und …"). */
const JOINING = /^(?:und|oder|bzw|sowie|and|or|to|et|ou|y|o|e|en|of|och|og)\b/u
const WIDE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}、。，！？]/u

interface Line {
  readonly text: string
  /** The offset of its beginning in the source. */
  readonly at: number
  /** The width of the widest line in the same block; blank lines separate blocks. */
  readonly width: number
  readonly fenced: boolean
}

type Join = "apart" | "space" | "nothing" | "hyphen"

const linesOf = (text: string): ReadonlyArray<Line> => {
  const lines: Array<{ text: string; at: number; width: number; fenced: boolean }> = []
  let block: Array<(typeof lines)[number]> = []
  let fenced = false
  let at = 0
  const endBlock = () => {
    let width = 0
    for (const line of block) width = Math.max(width, line.text.length)
    for (const line of block) line.width = width
    block = []
  }
  for (const raw of text.split("\n")) {
    const trimmed = raw.replace(LEADING, "").replace(TRAILING, "")
    const isFence = FENCE.test(trimmed)
    const line = { text: trimmed, at: at + raw.indexOf(trimmed), width: 0, fenced: fenced || isFence }
    if (isFence) fenced = !fenced
    lines.push(line)
    if (trimmed === "") endBlock()
    else block.push(line)
    at += raw.length + 1
  }
  endBlock()
  return lines
}

/** Returns true if a line was full, so that the first word of the next line did not fit any more. */
const isWrapped = (line: Line, next: string): boolean => {
  const wide = WIDE.test(line.text.at(-1) ?? "")
  const least = wide ? WRAPPED_LENGTH / 2 : WRAPPED_LENGTH
  const word = wide ? 1 : next.search(/\s|$/u)
  return line.text.length >= least && line.text.length + 1 + word >= WRAPPED_SHARE * line.width
}

const startsItem = (line: Line, next: string): boolean =>
  ITEM.test(next) || (NUMBERED.test(next) && (/[.:;!?)]$/u.test(line.text) || !isWrapped(line, next)))

const isStructured = (text: string): boolean => TABULAR.test(text) || /^#{1,6}\s/u.test(text)

/**
 * Returns the way in which a line is joined with the next one. `source` is the whole text, which may contain the
 * divided word with its hyphen elsewhere.
 */
const joinOf = (line: Line, { fenced, text: next }: Line, source: string): Join => {
  if (line.text === "" || next === "" || line.fenced || fenced) return "apart"
  if (isStructured(line.text) || isStructured(next) || startsItem(line, next)) return "apart"
  const parted = HYPHENATED.exec(line.text)
  if (parted !== null && /^\p{Ll}/u.test(next) && !JOINING.test(next)) {
    const rest = /^\p{L}+/u.exec(next)?.[0] ?? ""
    return source.includes(`${parted[1]}-${rest}`) ? "nothing" : "hyphen"
  }
  if (/^\p{Ll}/u.test(next)) return "space"
  if (ENDS_NUMBERED.test(line.text) && ENDS_NUMBERED.test(next) && /^[\p{Lu}\p{N}]/u.test(next)) return "apart"
  if (!isWrapped(line, next)) return "apart"
  return WIDE.test(line.text.at(-1) ?? "") && WIDE.test(next) ? "nothing" : "space"
}

/** The shown text so far. */
interface Written {
  text: string
  readonly runs: Array<{ shown: number; source: number; length: number }>
}

/** Appends characters of the source. */
const copy = (written: Written, part: string, source: number) => {
  const last = written.runs.at(-1)
  const follows = last !== undefined && last.shown + last.length === written.text.length
  if (follows && last.source + last.length === source) last.length += part.length
  else if (part !== "") written.runs.push({ shown: written.text.length, source, length: part.length })
  written.text += part
}

/**
 * Copies a line without its soft hyphens. White space within the line becomes one space, except in tables, where it
 * separates the columns.
 */
const copyLine = (written: Written, line: string, at: number, exact: boolean) => {
  let from = 0
  for (const { 0: gap, index } of line.matchAll(exact ? /\u00ad/gu : /\u00ad|\s{2,}|[^\S ]/gu)) {
    copy(written, line.slice(from, index), at + from)
    if (gap !== "\u00ad") written.text += " "
    from = index + gap.length
  }
  copy(written, line.slice(from), at + from)
}

/**
 * Returns the text of a document for display: wrapped lines are joined into paragraphs, words divided at the end of a
 * line are joined, and several blank lines become one. Headings, list items, rows of tables, addresses and fenced code
 * stay on their own lines. The words and their order stay; `runs` maps the shown text to `text`, to which all offsets
 * refer. The joining is a guess at the author's intention; a hyphen stays if the text contains the hyphenated word
 * elsewhere.
 */
export const reflow = (text: string): ReflowedText => {
  const lines = linesOf(text)
  const written: Written = { text: "", runs: [] }
  let blanks = 0
  let join: Join | undefined
  for (const [index, line] of lines.entries()) {
    if (line.text === "") {
      blanks += 1
      continue
    }
    if (join === "apart") written.text += blanks > 0 ? "\n\n" : "\n"
    if (join === "space") written.text += " "
    const next = lines[index + 1]
    join = next === undefined ? "apart" : joinOf(line, next, text)
    const shown = join === "hyphen" ? line.text.slice(0, -1) : line.text
    copyLine(written, shown, line.at, line.fenced || TABULAR.test(line.text))
    blanks = 0
  }
  return written
}

/** Maps a part of the shown text to the source text. */
export const sourceSpan = ({ runs }: ReflowedText, { start, end }: TextSpan): TextSpan =>
  convert(runs, start, end, "shown", "source")

/** Maps a part of the source text to the shown text; an empty span if none of it is shown. */
export const shownSpan = ({ runs }: ReflowedText, { start, end }: TextSpan): TextSpan =>
  convert(runs, start, end, "source", "shown")

const convert = (
  runs: ReadonlyArray<SharedRun>,
  start: number,
  end: number,
  from: "shown" | "source",
  to: "shown" | "source"
): TextSpan => {
  const first = runs.find((run) => run[from] + run.length > start)
  const last = runs.findLast((run) => run[from] < end)
  const begin = first === undefined ? lengthOf(runs, to) : first[to] + Math.max(0, start - first[from])
  const stop = last === undefined ? 0 : last[to] + Math.min(last.length, end - last[from])
  return { start: begin, end: Math.max(begin, stop) }
}

const lengthOf = (runs: ReadonlyArray<SharedRun>, side: "shown" | "source"): number => {
  const last = runs.at(-1)
  return last === undefined ? 0 : last[side] + last.length
}
