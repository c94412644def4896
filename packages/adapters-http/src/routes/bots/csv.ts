/** The characters that make a spreadsheet read a cell as a formula, also in full width; some skip a tab or a line end before them. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

const cell = (value: string | number | null): string => {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  // A visitor's text must not become a formula in the reader's spreadsheet.
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A line of a table (RFC 4180), with its end. A text that spreadsheets would calculate begins with an apostrophe. */
export const csvLine = (cells: ReadonlyArray<string | number | null>): string => `${cells.map(cell).join(",")}\r\n`
