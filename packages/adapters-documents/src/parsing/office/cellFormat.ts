import { format } from "numfmt"

/** Formats that a workbook need not define (ECMA-376 part 1, 18.8.30), in English; dates that follow the locale as ISO 8601. */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  12: "# ?/?",
  13: "# ??/??",
  14: "yyyy-mm-dd",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm",
  37: "#,##0 ;(#,##0)",
  38: "#,##0 ;(#,##0)",
  39: "#,##0.00;(#,##0.00)",
  40: "#,##0.00;(#,##0.00)",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mmss.0",
  48: "##0.0E+0",
  49: "@"
}

/** Between the dates 1 of both systems of a workbook, in days. */
const DAYS_TO_1904 = 1462
const MAX_SHOWN = 255

/** A code that cannot be read shows the number as it is. */
const shown = (code: string, value: number): string => {
  try {
    const text = format(code, value).trim()
    return text === "" || text.length > MAX_SHOWN || /^#+$/u.test(text) ? String(value) : text
  } catch {
    return String(value)
  }
}

const isDate = (code: string): boolean => /[ymdhs]/iu.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]|general/giu, ""))

/** How a number is shown by the format of this number; `codes` are those that the workbook defines. */
export const formatCell = (
  value: number,
  formatId: number,
  { codes, from1904 }: { readonly codes: ReadonlyMap<number, string>; readonly from1904: boolean }
): string => {
  const code = codes.get(formatId) ?? BUILT_IN[formatId] ?? "General"
  return shown(code, from1904 && isDate(code) ? value + DAYS_TO_1904 : value)
}
