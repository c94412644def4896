/**
 * The characters with which spreadsheets begin a formula, also in full width; some spreadsheets skip a tab or a line
 * end first.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/

const cell = (value: string | number | null): string => {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  // A text that a visitor wrote must not run as a formula in the spreadsheet of the bot's owner.
  const text = FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * One line of a CSV table (RFC 4180) with its line end. A text that spreadsheets would calculate gets an apostrophe in
 * front.
 */
export const csvLine = (cells: ReadonlyArray<string | number | null>): string => `${cells.map(cell).join(",")}\r\n`
