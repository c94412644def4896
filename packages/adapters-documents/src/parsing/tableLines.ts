/** The longest column name, in UTF-16 units, that is repeated in every row. */
const MAX_NAME = 80
/** The most rows that are examined to find out whether the first row contains column names. */
const SAMPLE_ROWS = 50

/** Whether the first row contains column names: `yes` for sure, `likely` unless it looks like data. */
export type FirstRowNames = "yes" | "likely" | "unknown"

const oneLine = (text: string): string => text.replace(/\s+/gu, " ").trim()

/** True for amounts, dates, shares and codes: the cell has a digit and at most four letters. */
const isFigure = (cell: string): boolean => /\p{N}/u.test(cell) && cell.replace(/\P{L}/gu, "").length <= 4

const isName = (cell: string): boolean => cell !== "" && cell.length <= MAX_NAME && /\p{L}/u.test(cell)

/** True if some column has figures below the first row; then the first row contains names rather than data. */
const hasFigures = (rows: ReadonlyArray<ReadonlyArray<string>>): boolean => {
  const sample = rows.slice(1, 1 + SAMPLE_ROWS)
  return rows[0]!.some((_, column) => {
    const cells = sample.map((row) => row[column] ?? "").filter((cell) => cell !== "")
    return cells.length > 0 && cells.filter(isFigure).length > cells.length / 2
  })
}

const namesColumns = (rows: ReadonlyArray<ReadonlyArray<string>>, known: FirstRowNames): boolean => {
  const [first] = rows
  if (first === undefined || rows.length < 2 || first.length < 2) return false
  if (known === "yes") return true
  // The first cell may be empty: it is above the names of the rows.
  if (!first.every((cell, column) => isName(cell) || (column === 0 && cell === ""))) return false
  if (first.some(isFigure) || new Set(first).size < first.length) return false
  return known === "likely" || first.length > 2 || hasFigures(rows)
}

/** The most rows with a single cell above the column names: titles, dates, units. */
const MAX_TITLES = 10

/** Counts the rows with a single cell above a table of several columns. */
const titleRows = (rows: ReadonlyArray<ReadonlyArray<string>>): number => {
  const first = rows.findIndex((row) => row.filter((cell) => cell !== "").length > 1)
  return first > MAX_TITLES ? 0 : Math.max(0, first)
}

const rowLine = (names: ReadonlyArray<string>, row: ReadonlyArray<string>): string =>
  row
    .map((cell, column) => {
      const name = names[column] ?? ""
      return cell === "" || name === "" ? cell : `${name}: ${cell}`
    })
    .filter((cell) => cell !== "")
    .join("\t")

/**
 * Writes a table line by line, a row in each line, its cells separated by tabs. If the first row contains column names,
 * each cell has its name before its value ("Part: Blade"), so that a row is understandable when it is found alone;
 * empty cells are then left out.
 */
export function* tableLines(
  table: ReadonlyArray<ReadonlyArray<string>>,
  firstRowNames: FirstRowNames
): Generator<string> {
  const all = table.map((row) => row.map(oneLine)).filter((row) => row.some((cell) => cell !== ""))
  const titles = titleRows(all)
  for (const row of all.slice(0, titles)) yield row.join("\t").trim()
  const rows = all.slice(titles)
  if (!namesColumns(rows, firstRowNames)) {
    for (const row of rows) yield row.join("\t").trimEnd()
    return
  }
  const [first = [], ...body] = rows
  yield first.filter((name) => name !== "").join("\t")
  const names = first.map((name) => name.slice(0, MAX_NAME).toWellFormed())
  for (const row of body) yield rowLine(names, row)
}
