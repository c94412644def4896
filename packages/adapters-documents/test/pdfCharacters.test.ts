import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { openDocumentParser } from "../src/openDocumentParser.ts"
import { encodeText } from "./fixtures/encodeText.ts"
import { writeNamedMapPdf } from "./fixtures/writePdf.ts"

/** Texts with the encoding, the map and the collection that PDFs of their languages name. */
const TEXTS = [
  { text: "契約は三か月前に書面で解約", encoding: "shift_jis", map: "90ms-RKSJ-H", ordering: "Japan1" },
  { text: "租户须提前三个月解除合同", encoding: "gbk", map: "GBK-EUC-H", ordering: "GB1" },
  { text: "租戶須提前三個月解除合約", encoding: "big5", map: "ETen-B5-H", ordering: "CNS1" },
  { text: "계약은 석 달 전에 해지", encoding: "euc-kr", map: "KSCms-UHC-H", ordering: "Korea1" },
  { text: "自転車は駐輪場に置く", encoding: "utf-16be", map: "UniJIS-UTF16-H", ordering: "Japan1" }
] as const

const encoded = (text: string, encoding: string): Uint8Array =>
  encoding === "utf-16be" ? Buffer.from(text, "utf16le").swap16() : encodeText(text, encoding)

describe("a PDF whose font names a character map without containing it", () => {
  it("keeps every letter of Chinese, Japanese and Korean texts, in the fenced process", async () => {
    const { close, parser } = await openDocumentParser()
    try {
      for (const { encoding, map, ordering, text } of TEXTS) {
        const bytes = writeNamedMapPdf(encoded(text, encoding), map, ordering)
        const read = await Effect.runPromise(parser.parse({ type: "pdf", bytes, userId: "ann" }))
        expect(read.text).toBe(text)
      }
    } finally {
      await close()
    }
  })
})
