/** The labels of the WHATWG Encoding Standard of code pages that are not `windows-` with their number. */
const PAGES: Readonly<Record<number, string>> = {
  ...{ 866: "ibm866", 932: "shift_jis", 936: "gb18030", 949: "euc-kr", 950: "big5" },
  ...{ 10000: "macintosh", 10007: "x-mac-cyrillic", 65001: "utf-8" }
}

const WESTERN = "windows-1252"

/** The encoding of a code page (`\ansicpg`). */
export const encodingOfPage = (page: number): string =>
  PAGES[page] ?? (page === 874 || (page >= 1250 && page <= 1258) ? `windows-${page}` : WESTERN)

/** Code pages by the character sets of fonts; those of 0 and 1 are the file's own. */
const CHARSETS: Readonly<Record<number, number>> = {
  ...{ 77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258 },
  ...{ 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250 }
}

/** The encoding of a font's character set (`\fcharset`); undefined if it is the file's own. */
export const encodingOfCharset = (charset: number): string | undefined => {
  const page = CHARSETS[charset]
  return page === undefined ? undefined : encodingOfPage(page)
}

/** Groups whose words are no text of the document; those after `\*` are none either. */
export const SKIPPED: ReadonlySet<string> = new Set([
  ...["colortbl", "stylesheet", "info", "pict", "object", "nonshppict", "listtext", "pntext", "themedata", "datastore"],
  ...["header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "annotation", "atnid"],
  ...["xe", "tc", "rxe", "txe", "revtbl", "filetbl", "listtable", "listoverridetable", "rsidtbl", "mmathPr", "fontemb"],
  ...["ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "bkmkstart", "bkmkend", "fldinst", "template", "private"]
])

/** Control words and symbols that stand for characters. */
export const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ tab: "\t", line: "\n", emdash: "—", endash: "–", lquote: "‘", rquote: "’" }),
  ...Object.entries({ ldblquote: "“", rdblquote: "”", bullet: "•", emspace: " ", enspace: " ", qmspace: " " }),
  ...Object.entries({ "~": "\u00a0", _: "-", "\\": "\\", "{": "{", "}": "}", zwj: "\u200d", zwnj: "\u200c" }),
  ...Object.entries({ nestcell: " ", nestrow: "\n" })
])
