import type { TextSpan } from "@parley/core/reading"

/** The UTF-16 offsets of a cell's text, without the column's name before it; undefined if the row has no such cell. */
export type TableCell = TextSpan | undefined

/** A table in a text. Its span reaches from the beginning of its first line to the end of its last line. */
export interface TableOfText extends TextSpan {
  /** The names of the columns; undefined if the table has none. A name is a text if it is not in this stretch. */
  readonly names: ReadonlyArray<TextSpan | string | undefined> | undefined
  /** True if the first column contains the names of the rows. */
  readonly namesRows: boolean
  /** The rows, all with the same number of cells. */
  readonly rows: ReadonlyArray<ReadonlyArray<TableCell>>
}

/** The part of a text in which tables are found. */
export interface Stretch {
  readonly text: string
  /**
   * True if the stretch begins within the document: its first line may be incomplete, and a table's names may be
   * missing.
   */
  readonly isCutBefore: boolean
  /** True if the stretch ends within the document: its last line may be incomplete. */
  readonly isCutAfter: boolean
}

interface Line extends TextSpan {
  readonly cells: ReadonlyArray<TextSpan & { readonly text: string }>
}

/** The cells of a row: those that begin with the name of a column, and all others. */
interface PlacedRow {
  /** The cell of each named column, by the column's index; undefined if the row has no such cell. */
  readonly named: ReadonlyArray<TableCell>
  /** The other cells: the list at index `n` has those before the column with index `n`. */
  readonly others: ReadonlyArray<ReadonlyArray<TextSpan>>
}

const lineAt = (text: string, start: number): Line => {
  const newline = text.indexOf("\n", start)
  const end = newline === -1 ? text.length : newline
  let at = start
  const cells = text
    .slice(start, end)
    .split("\t")
    .map((cell) => {
      const from = at
      at += cell.length + 1
      return { start: from, end: from + cell.length, text: cell }
    })
  return { start, end, cells }
}

/** Splits a text into blocks of lines at blank lines. */
const blocksOf = (text: string): ReadonlyArray<ReadonlyArray<Line>> => {
  const blocks: Array<Array<Line>> = [[]]
  for (let start = 0; start < text.length;) {
    const line = lineAt(text, start)
    if (line.cells.every((cell) => cell.text.trim() === "")) blocks.push([])
    else blocks.at(-1)!.push(line)
    start = line.end + 1
  }
  return blocks.filter((block) => block.length > 0)
}

/** The longest name before a cell's value: the parser cuts longer names. */
const MAX_NAME = 80

const isOf = (cell: string, name: string): boolean => name !== "" && cell.startsWith(`${name.slice(0, MAX_NAME)}: `)

/**
 * The column after `last` whose name begins the cell's text; if several fit, the one with the longest name. Undefined
 * if none fits.
 */
const columnOf = (cell: string, names: ReadonlyArray<string>, last: number): number | undefined => {
  let found: number | undefined
  for (let column = last + 1; column < names.length; column++) {
    if (!isOf(cell, names[column]!)) continue
    if (found === undefined || names[column]!.length > names[found]!.length) found = column
  }
  return found
}

/** Assigns the cells of a line to the columns whose names they begin with; undefined if no cell begins with a name. */
const placeRow = ({ cells }: Line, names: ReadonlyArray<string>): PlacedRow | undefined => {
  const named: Array<TableCell> = Array.from(names, () => undefined)
  const others: Array<Array<TextSpan>> = Array.from({ length: names.length + 1 }, () => [])
  let last = -1
  for (const { end, start, text } of cells) {
    const column = columnOf(text, names, last)
    if (column === undefined) others[last + 1]!.push({ start, end })
    else {
      named[column] = { start: start + Math.min(names[column]!.length, MAX_NAME) + 2, end }
      last = column
    }
  }
  return last === -1 ? undefined : { named, others }
}

const isWhole = ({ others }: PlacedRow): boolean => others.every((cells) => cells.length === 0)

/** A row whose cells belong to no named column, such as a title above the rows below it. */
const unnamedRow = ({ cells }: Line, names: ReadonlyArray<string>): PlacedRow => ({
  named: names.map(() => undefined),
  others: names.concat("").map((_, place) => (place === 0 ? cells : []))
})

const namesOf = ({ cells }: Line): ReadonlyArray<string> => cells.map(({ text }) => text)

/** The rows from index `from` on whose cells begin with these names. */
const rowsNaming = (block: ReadonlyArray<Line>, from: number, names: ReadonlyArray<string>) => {
  const rows: Array<PlacedRow> = []
  for (let place = from; place < block.length; place++) {
    const line = block[place]!
    const next = block[place + 1]
    const row = placeRow(line, names)
    if (row !== undefined) rows.push(row)
    else {
      const goesOn = next !== undefined && placeRow(next, names) !== undefined
      if (!goesOn || placeRow(next, namesOf(line)) !== undefined || line.cells.length > 1) break
      rows.push(unnamedRow(line, names))
    }
  }
  return rows
}

type Names = ReadonlyArray<TextSpan | string>

/**
 * Makes a table whose rows all have the same columns: the named ones, and those without names that some row has beside
 * them.
 */
const namedTable = (lines: ReadonlyArray<Line>, names: Names, rows: ReadonlyArray<PlacedRow>): TableOfText => {
  const widths = Array.from({ length: names.length + 1 }, (_, place) =>
    Math.max(...rows.map(({ others }) => others[place]!.length))
  )
  const laidOut = <A>(named: ReadonlyArray<A>, others: (place: number) => ReadonlyArray<A>): Array<A | undefined> =>
    widths.flatMap((width, place) => [
      ...Array.from({ length: width }, (_, at) => others(place)[at]),
      ...(place < named.length ? [named[place]] : [])
    ])
  return {
    start: lines[0]!.start,
    end: lines.at(-1)!.end,
    names: laidOut<TextSpan | string>(names, () => []),
    namesRows: widths[0]! > 0,
    rows: rows.map(({ named, others }) => laidOut<TableCell>(named, (place) => others[place]!))
  }
}

const unnamedTable = (lines: ReadonlyArray<Line>): TableOfText => {
  const columns = Math.max(...lines.map(({ cells }) => cells.length))
  return {
    start: lines[0]!.start,
    end: lines.at(-1)!.end,
    names: undefined,
    namesRows: false,
    rows: lines.map(({ cells }) => Array.from({ length: columns }, (_, at) => cells[at]))
  }
}

const SAYS_NAME = /^([^\t]{1,80}?): /u

/** The names with which the cells of a row begin; undefined if one of the cells has none. */
const saidNames = ({ cells }: Line): ReadonlyArray<string> | undefined => {
  const names = cells.map(({ text }) => SAYS_NAME.exec(text)?.[1])
  return names.length > 1 && names.every((name) => name !== undefined) ? names : undefined
}

/** The table at the beginning of a stretch if the line with its names is before the stretch. */
const continuedTable = (block: ReadonlyArray<Line>): TableOfText | undefined => {
  const widest = block.toSorted((one, other) => other.cells.length - one.cells.length).map(saidNames)
  const names = widest.find((said) => said !== undefined)
  if (names === undefined) return undefined
  const first = placeRow(block[0]!, names)
  const from = first !== undefined && isWhole(first) ? 0 : 1
  const rows = rowsNaming(block, from, names)
  return rows.length < 2 || !rows.every(isWhole)
    ? undefined
    : namedTable(block.slice(from, from + rows.length), names, rows)
}

/** The table that begins with this line, if the line contains the names of its columns. */
const tableAt = (block: ReadonlyArray<Line>, place: number, mayBeCut: boolean): TableOfText | undefined => {
  const header = block[place]!
  if (header.cells.length < 2) return undefined
  const rows = rowsNaming(block, place + 1, namesOf(header))
  if (rows.length === 0 || (mayBeCut && !isWhole(rows[0]!))) return undefined
  return namedTable(block.slice(place, place + 1 + rows.length), header.cells, rows)
}

/**
 * The table without names that begins with this line: lines with several cells, and single lines with one cell between
 * them.
 */
const unnamedAt = (block: ReadonlyArray<Line>, place: number): TableOfText | undefined => {
  let end = place
  for (let at = place; at < block.length && at <= end + 2; at++) {
    if (at > place && tableAt(block, at, false) !== undefined) break
    if (block[at]!.cells.length > 1) end = at
  }
  return block[place]!.cells.length > 1 && end > place ? unnamedTable(block.slice(place, end + 1)) : undefined
}

const tablesOfBlock = (
  block: ReadonlyArray<Line>,
  { isFirst, mayBeUnnamed }: { readonly isFirst: boolean; readonly mayBeUnnamed: boolean }
): ReadonlyArray<TableOfText> => {
  const found: Array<TableOfText> = []
  for (let place = 0; place < block.length;) {
    const isCut = isFirst && place === 0
    const table =
      tableAt(block, place, isCut) ??
      (isCut ? continuedTable(block) : undefined) ??
      (mayBeUnnamed ? unnamedAt(block, place) : undefined)
    if (table !== undefined) found.push(table)
    const end = table?.end ?? block[place]!.end
    while (place < block.length && block[place]!.start <= end) place++
  }
  return found
}

/**
 * The types of documents whose tables the parser writes as lines: tabs separate the cells, and each value follows the
 * name of its column.
 */
const NAMED: ReadonlySet<string> = new Set(
  "csv tsv xlsx xls ods docx doc odt rtf html htm mht mhtml eml epub pptx ppt odp".split(" ")
)
/** Those of these types in whose texts each tab separates cells, so that tables without names can be found, too. */
const TABBED: ReadonlySet<string> = new Set("csv tsv xlsx xls ods docx odt html htm mht mhtml".split(" "))

/**
 * The tables in the text of a document of type `kind`, in order. A table with names is a line of names, followed by
 * lines whose cells repeat them before their values ("Part: Blade"). A table without names is a group of lines with
 * several cells.
 */
export const tablesOfText = ({ isCutAfter, isCutBefore, text }: Stretch, kind: string): ReadonlyArray<TableOfText> => {
  if (!NAMED.has(kind)) return []
  const whole = isCutAfter ? text.slice(0, text.lastIndexOf("\n") + 1) : text
  const mayBeUnnamed = TABBED.has(kind)
  return blocksOf(whole).flatMap((block, place) =>
    tablesOfBlock(block, { isFirst: isCutBefore && place === 0, mayBeUnnamed })
  )
}
