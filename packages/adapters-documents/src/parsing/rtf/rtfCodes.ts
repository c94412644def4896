/** The encoding labels (WHATWG Encoding Standard) of code pages whose label is not `windows-` with their number. */
const PAGES: Readonly<Record<number, string>> = {
  ...{ 866: "ibm866", 932: "shift_jis", 936: "gb18030", 949: "euc-kr", 950: "big5" },
  ...{ 10000: "macintosh", 10007: "x-mac-cyrillic", 65001: "utf-8" }
}

const WESTERN = "windows-1252"

/** Returns the encoding of a code page (`\ansicpg`). */
export const encodingOfPage = (page: number): string =>
  PAGES[page] ?? (page === 874 || (page >= 1250 && page <= 1258) ? `windows-${page}` : WESTERN)

/**
 * The code pages of font character sets. The character sets 0 and 1 are missing, because they mean the file's own
 * encoding.
 */
const CHARSETS: Readonly<Record<number, number>> = {
  ...{ 77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258 },
  ...{ 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250 }
}

/** Returns the encoding of a font's character set (`\fcharset`); undefined if it is the file's own encoding. */
export const encodingOfCharset = (charset: number): string | undefined => {
  const page = CHARSETS[charset]
  return page === undefined ? undefined : encodingOfPage(page)
}

/** Groups whose content is no text of the document. Groups that begin with `\*` are skipped as well. */
export const SKIPPED: ReadonlySet<string> = new Set([
  ...["colortbl", "stylesheet", "info", "pict", "object", "nonshppict", "listtext", "pntext", "themedata", "datastore"],
  ...["header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "annotation", "atnid"],
  ...["xe", "tc", "rxe", "txe", "revtbl", "filetbl", "listtable", "listoverridetable", "rsidtbl", "mmathPr", "fontemb"],
  ...["ftnsep", "ftnsepc", "aftnsep", "aftnsepc", "bkmkstart", "bkmkend", "fldinst", "template", "private"]
])

/** The characters that control words and symbols represent. */
export const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ...Object.entries({ tab: "\t", line: "\n", emdash: "—", endash: "–", lquote: "‘", rquote: "’" }),
  ...Object.entries({ ldblquote: "“", rdblquote: "”", bullet: "•", emspace: " ", enspace: " ", qmspace: " " }),
  ...Object.entries({ "~": "\u00a0", _: "-", "\\": "\\", "{": "{", "}": "}", zwj: "\u200d", zwnj: "\u200c" }),
  ...Object.entries({ nestcell: " ", nestrow: "\n" })
])
