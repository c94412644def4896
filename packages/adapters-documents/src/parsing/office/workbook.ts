import type { Archive } from "./readArchive.ts"
import { readXml } from "./readXml.ts"
import { relationshipsOf } from "./relationships.ts"

export interface Sheet {
  readonly name: string
  /** The name of the sheet's entry in the archive. */
  readonly part: string
}

/** The data that the sheets of a workbook share. */
export interface Workbook {
  /** The sheets in the order of their tabs, without hidden sheets, which people do not see. */
  readonly sheets: ReadonlyArray<Sheet>
  readonly strings: ReadonlyArray<string>
  /** The number format of each cell style. */
  readonly formats: ReadonlyArray<number>
  readonly codes: ReadonlyMap<number, string>
  readonly from1904: boolean
}

export const WORKBOOK = "xl/workbook.xml"

const sharedStrings = (bytes: Uint8Array | undefined): ReadonlyArray<string> => {
  const strings: Array<string> = []
  let text = ""
  let inText = false
  // The pronunciation of a word is stored beside the word; it does not belong to the text.
  let phonetic = false
  readXml(bytes, {
    open: (name) => {
      if (name === "si") text = ""
      else if (name === "rPh") phonetic = true
      else if (name === "t") inText = !phonetic
    },
    close: (name) => {
      if (name === "si") strings.push(text)
      else if (name === "rPh") phonetic = false
      else if (name === "t") inText = false
    },
    text: (part) => {
      if (inText) text += part
    }
  })
  return strings
}

const stylesOf = (bytes: Uint8Array | undefined): Pick<Workbook, "codes" | "formats"> => {
  const codes = new Map<number, string>()
  const formats: Array<number> = []
  let inCellFormats = false
  readXml(bytes, {
    open: (name, { formatCode, numFmtId }) => {
      if (name === "numFmt" && formatCode !== undefined) codes.set(Number(numFmtId), formatCode)
      else if (name === "cellXfs") inCellFormats = true
      else if (name === "xf" && inCellFormats) formats.push(Number(numFmtId ?? 0))
    },
    close: (name) => {
      if (name === "cellXfs") inCellFormats = false
    }
  })
  return { codes, formats }
}

/**
 * Reads the sheets and the shared data of a workbook (ECMA-376 part 1, 18.2); undefined if the archive has no workbook.
 */
export const readWorkbook = (archive: Archive): Workbook | undefined => {
  const bytes = archive.read(WORKBOOK)
  if (bytes === undefined) return undefined
  const relationships = relationshipsOf(archive, WORKBOOK)
  const sheets: Array<Sheet> = []
  let from1904 = false
  readXml(bytes, {
    open: (name, attributes) => {
      if (name === "workbookPr") from1904 = ["1", "true"].includes(attributes["date1904"] ?? "")
      if (name !== "sheet" || (attributes["state"] ?? "visible") !== "visible") return
      const part = relationships.find(({ id, kind }) => id === attributes["r:id"] && kind === "worksheet")?.target
      if (part !== undefined) sheets.push({ name: attributes["name"] ?? "", part })
    }
  })
  const partOf = (kind: string) => relationships.find((each) => each.kind === kind)?.target ?? ""
  const strings = sharedStrings(archive.read(partOf("sharedStrings")))
  return { sheets, strings, from1904, ...stylesOf(archive.read(partOf("styles"))) }
}
