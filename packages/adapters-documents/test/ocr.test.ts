import { OcrFailed, type OcrService } from "@parley/core/adapter"
import { Effect, Exit, Result } from "effect"
import { inflateSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import type { ParserLimits } from "../src/index.ts"
import { sharedParser } from "./fixtures/sharedParser.ts"
import { type PdfPage, writePdf } from "./fixtures/writePdf.ts"
import { writeScan } from "./fixtures/writeScan.ts"

/** The content of a PNG file of grey pixels: its size, and the shade of its first pixel. */
const shownBy = (png: Uint8Array) => {
  const view = Buffer.from(png)
  const length = view.readUInt32BE(33)
  const rows = inflateSync(view.subarray(41, 41 + length))
  return { width: view.readUInt32BE(16), height: view.readUInt32BE(20), shade: rows[1] }
}

/** Reads the pictures of `writeScan`: each shows its number as a shade. */
const reading: OcrService = {
  recognise: ({ page, png }) => Effect.succeed(`Picture ${shownBy(png).shade} of page ${page}.\u0000\r\n`)
}

const shared = sharedParser()
const parse = (bytes: Uint8Array, ocr: OcrService | undefined, limits?: Partial<ParserLimits>) =>
  shared("pdf", bytes, ocr, limits)

describe("a scan", () => {
  it("is read page by page where text recognition is configured, blank pages kept", async () => {
    const result = await Effect.runPromise(parse(writeScan([[10], [], [30, 31]]), reading))
    expect(Result.isSuccess(result) && result.success).toEqual({
      text: "Picture 10 of page 1.\n\nPicture 30 of page 3.\nPicture 31 of page 3.",
      pageStarts: [0, 22, 23]
    })
  })

  it("is unreadable and said to be a scan where it is not", async () => {
    const result = await Effect.runPromise(parse(writeScan([[10]]), undefined))
    expect(Result.isFailure(result) && result.failure).toMatchObject({
      failure: "scan",
      reason: expect.stringMatching(/OCR/)
    })
  })

  it("on which nothing is recognised, or of too many pages, is unreadable with a reason", async () => {
    const blind: OcrService = { recognise: () => Effect.succeed(" \n") }
    const nothing = await Effect.runPromise(parse(writeScan([[10]]), blind))
    expect(Result.isFailure(nothing) && nothing.failure).toMatchObject({
      failure: "scan",
      reason: expect.stringMatching(/no text was recognised/)
    })
    const long = await Effect.runPromise(parse(writeScan([[1], [2], [3]]), reading, { maxScannedPages: 2 }))
    expect(Result.isFailure(long) && long.failure).toMatchObject({
      failure: "too_long",
      reason: expect.stringMatching(/3 pages.*up to 2/)
    })
  })

  it("is no verdict on the document where text recognition itself breaks", async () => {
    const broken: OcrService = { recognise: () => Effect.fail(new OcrFailed({ cause: new Error("no data") })) }
    const exit = await Effect.runPromiseExit(parse(writeScan([[10]]), broken))
    expect(Exit.isFailure(exit)).toBe(true)
  })

  it("is never looked at where no picture covers a page", async () => {
    const forbidden: OcrService = { recognise: () => Effect.die(new Error("asked")) }
    const result = await Effect.runPromise(parse(writePdf([["Words."], [], LONG]), forbidden))
    expect(Result.isSuccess(result) && result.success).toEqual({
      text: `Words.\n\n${LONG.join("\n")}`,
      pageStarts: [0, 7, 8]
    })
  })
})

const LONG = Array.from(
  { length: 3 },
  (_, line) => `Line ${line} of a page that has more text than any caption of a picture.`
)
const STAMP = "Scanned with PaperCam"

describe("a document with pages that are pictures", () => {
  const noticeOf = async (pages: ReadonlyArray<PdfPage>) => {
    const result = await Effect.runPromise(parse(writePdf(pages), undefined))
    return Result.isSuccess(result) ? result.success.notice : result.failure.failure
  }

  it("has a notice that counts them where no text recognition is configured", async () => {
    expect(await noticeOf([LONG, "image", { overImage: ["Figure 1"] }])).toMatch(/^2 of 3 pages have no readable text/)
    expect(await noticeOf([LONG, { overImage: LONG }, []])).toBeUndefined()
    expect(await noticeOf([LONG, { content: "q 100 0 0 100 50 50 cm /Im1 Do Q" }, "image"])).toMatch(/^1 of 3 pages/)
  })

  it("is a scan if the pictures have stamps only, and keeps captions", async () => {
    expect(await noticeOf([{ overImage: [STAMP] }, { overImage: [STAMP] }])).toBe("scan")
    expect(await noticeOf([{ overImage: ["7 May, page stamp"] }, { overImage: ["7 May, page stamp"] }])).toBe("scan")
    expect(await noticeOf([{ overImage: [STAMP] }])).toBe("scan")
    const captions = [
      { overImage: ["Warranty"] },
      { overImage: ["Warranty"] },
      { overImage: ["Closing"] },
      "image" as const
    ]
    const result = await Effect.runPromise(parse(writePdf(captions), undefined))
    expect(Result.isSuccess(result) && result.success.text).toBe("Warranty\nWarranty\nClosing\n")
  })

  it("has the recognised text in place of its pictures, and counts those without", async () => {
    const bytes = writeScan([[10], [20], [30]], { 2: LONG })
    const seeing: OcrService = {
      recognise: ({ page, png }) => (page === 3 ? Effect.succeed("") : reading.recognise({ page, png }))
    }
    const result = await Effect.runPromise(parse(bytes, seeing))
    const first = "Picture 10 of page 1."
    expect(Result.isSuccess(result) && result.success).toEqual({
      text: `${first}\n${LONG.join("\n")}\n`,
      pageStarts: [0, first.length + 1, first.length + 1 + LONG.join("\n").length + 1],
      notice: expect.stringMatching(/^1 of 3 pages/)
    })
  })

  it("keeps the text of a page beside what is recognised on it, and is ready if recognition breaks", async () => {
    const bytes = writeScan([[10], [20]], { 1: ["Revenue grew."], 2: LONG })
    const first = await Effect.runPromise(parse(bytes, reading))
    expect(Result.isSuccess(first) && first.success.text).toBe(
      `Revenue grew.\nPicture 10 of page 1.\n${LONG.join("\n")}`
    )
    const broken: OcrService = { recognise: () => Effect.fail(new OcrFailed({ cause: new Error("no data") })) }
    const second = await Effect.runPromise(parse(bytes, broken))
    expect(Result.isSuccess(second) && second.success).toMatchObject({
      text: `Revenue grew.\n${LONG.join("\n")}`,
      notice: expect.stringMatching(/^1 of 2 pages/)
    })
  })

  it("that draws a page of blanks has no notice", async () => {
    expect(await noticeOf([LONG, { content: "BT /F1 11 Tf 50 740 Td <00200020> Tj ET" }])).toBeUndefined()
  })

  it("counts pages whose letters of another script are mapped to Latin-1", async () => {
    const thai = Array.from({ length: 8 }, () => "¡ÒÃ»ÃÐÂµ ¤ÇÒÁÃÙé áÅÐ")
    const french = Array.from({ length: 8 }, () => "À l'été, les élèves préfèrent être à la forêt")
    expect(await noticeOf([LONG, thai])).toMatch(/^1 of 2 pages have no readable text/)
    const leaders = Array.from({ length: 8 }, (_, line) => `Part ${line} · · · · · · · · · · · · · · · · ${line}`)
    expect(await noticeOf([french, leaders, ["© 2026"]])).toBeUndefined()
  })

  it("whose letters have no meaning has a notice, and none of these in its text", async () => {
    const lost = Array.from({ length: 20 }, (_, code) => String.fromCharCode(0xe000 + code)).join("")
    expect(await noticeOf([LONG, [lost]])).toMatch(/^1 of 2 pages/)
    expect(await noticeOf([[lost]])).toBe("no_text")
    expect(await noticeOf([[...LONG, lost]])).toMatch(/^\d+ % of the letters and signs cannot be read/)
    expect(await noticeOf([[...LONG, lost], [lost]])).toMatch(/^1 of 2 pages .* \d+ % of the letters and signs/)
    expect(await noticeOf([[...LONG, lost.slice(0, 3)]])).toBeUndefined()
  })
})
