import { deflateSync } from "node:zlib"
import { decode } from "@cwasm/lodepng"
import type { DocumentType } from "@parley/core"
import { DocumentParser, Ocr, OcrFailed, type OcrService } from "@parley/core/adapter"
import { Effect, Exit, Layer, Result } from "effect"
import { describe, expect, it } from "vitest"
import { type ParserLimits, WorkerDocumentParser } from "../src/index.ts"
import { extendedWebp, samplePicture, turnedJpeg, writePng } from "./fixtures/writePicture.ts"

const SIZE = { width: 244, height: 130 }

const parse = (
  type: DocumentType,
  bytes: Uint8Array,
  ocr: OcrService | undefined,
  limits: Partial<ParserLimits> = {}
) =>
  DocumentParser.use((parser) => Effect.result(parser.parse({ type, bytes, userId: "ann" }))).pipe(
    Effect.provide(Layer.provide(WorkerDocumentParser.layer(limits), Layer.succeed(Ocr, ocr)))
  )

/** Returns the picture that text recognition gets, as red, green, blue and how opaque. */
const shown = async (type: DocumentType, bytes: Uint8Array) => {
  const pictures: Array<Uint8Array> = []
  const seeing: OcrService = {
    recognise: ({ png }) => Effect.sync(() => `Picture ${pictures.push(png)}.\u0000\r\n`)
  }
  const result = await Effect.runPromise(parse(type, bytes, seeing))
  expect(Result.isSuccess(result) ? result.success : result.failure.reason).toEqual({
    text: "Picture 1.",
    pageStarts: null
  })
  return decode(pictures[0]!)
}

const failureOf = async (
  type: DocumentType,
  bytes: Uint8Array,
  ocr: OcrService | undefined,
  limits?: Partial<ParserLimits>
) => {
  const result = await Effect.runPromise(parse(type, bytes, ocr, limits))
  return Result.isFailure(result) ? result.failure : undefined
}

const blind: OcrService = { recognise: () => Effect.succeed(" \n") }

/** The mean difference of two pictures, by their first colour. */
const difference = (one: ImageDataLike, other: ImageDataLike): number => {
  let sum = 0
  for (let at = 0; at < one.data.length; at += 4) sum += Math.abs(one.data[at]! - other.data[at]!)
  return (sum * 4) / one.data.length
}
type ImageDataLike = Pick<ReturnType<typeof decode>, "data" | "height" | "width">

const page = () => decode(samplePicture("page.png"))

describe("a picture", () => {
  it.each<[string, DocumentType, Uint8Array]>([
    ["PNG", "png", samplePicture("page.png")],
    ["JPEG", "jpg", samplePicture("page.jpg")],
    ["WebP without loss", "webp", samplePicture("page.webp")],
    ["WebP", "webp", samplePicture("lossy.webp")],
    ["WebP with extensions", "webp", extendedWebp(samplePicture("page.webp"), SIZE)],
    ["HEIC", "heic", samplePicture("page.heic")]
  ])("of the format %s is recognised as a page of a scan is", async (_, type, bytes) => {
    const picture = await shown(type, bytes)
    expect(picture).toMatchObject(SIZE)
    expect(difference(picture, page())).toBeLessThan(4)
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("is upright as its camera noted: %d", async (orientation) => {
    const picture = await shown("jpg", turnedJpeg(samplePicture("page.jpg"), orientation, orientation % 2 === 0))
    const { height, width, data } = await shown("jpg", samplePicture("page.jpg"))
    expect([picture.width, picture.height]).toEqual(orientation > 4 ? [height, width] : [width, height])
    // Where the corner that is stored first belongs (Exif 2.32, 4.6.4: "The 0th row is at the …").
    const places: Readonly<Record<number, (x: number, y: number) => [number, number]>> = {
      1: (x, y) => [x, y],
      2: (x, y) => [width - 1 - x, y],
      3: (x, y) => [width - 1 - x, height - 1 - y],
      4: (x, y) => [x, height - 1 - y],
      5: (x, y) => [y, x],
      6: (x, y) => [height - 1 - y, x],
      7: (x, y) => [height - 1 - y, width - 1 - x],
      8: (x, y) => [y, width - 1 - x]
    }
    const wrong: Array<[number, number]> = []
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const [column, row] = places[orientation]!(x, y)
        if (picture.data[(row * picture.width + column) * 4] !== data[(y * width + x) * 4]) wrong.push([x, y])
      }
    }
    expect(wrong).toEqual([])
  })

  it("of more pixels than show a page better is made smaller, and keeps its content", async () => {
    const size = { width: 9_000, height: 5_000 }
    const rows = Buffer.alloc((size.width + 1) * size.height, 255)
    for (let row = 0; row < size.height; row++) {
      rows[row * (size.width + 1)] = 0
      rows.fill(0, row * (size.width + 1) + 1, row * (size.width + 1) + 1 + 4_500)
    }
    const { data, height, width } = await shown("png", writePng(size, rows))
    expect([width, height]).toEqual([4_500, 2_500])
    const middle = 1_250 * width
    expect([data[(middle + 2_249) * 4], data[(middle + 2_250) * 4]]).toEqual([0, 255])
  })

  it("is unreadable where no text recognition is set up, with a sentence that says what to set up", async () => {
    expect(await failureOf("png", samplePicture("page.png"), undefined)).toMatchObject({
      failure: "scan",
      reason: expect.stringMatching(/text recognition.*PARLEY_OCR_DATA/)
    })
  })

  it("on which nothing is recognised is unreadable with a reason", async () => {
    expect(await failureOf("jpg", samplePicture("page.jpg"), blind)).toMatchObject({
      failure: "scan",
      reason: expect.stringMatching(/No text was recognised/)
    })
  })

  it("is no verdict where text recognition itself breaks", async () => {
    const broken: OcrService = { recognise: () => Effect.fail(new OcrFailed({ cause: new Error("no data") })) }
    expect(Exit.isFailure(await Effect.runPromiseExit(parse("png", samplePicture("page.png"), broken)))).toBe(true)
  })
})

describe("a hostile picture", () => {
  const cut = (bytes: Uint8Array, share: number) => bytes.slice(0, Math.floor(bytes.length * share))
  const never: OcrService = { recognise: () => Effect.die(new Error("asked")) }

  it.each<[DocumentType, Uint8Array]>([
    ["png", samplePicture("page.png")],
    ["jpg", samplePicture("page.jpg")],
    ["webp", samplePicture("page.webp")],
    ["webp", samplePicture("lossy.webp")],
    ["heic", samplePicture("page.heic")]
  ])("that is cut off is damaged, and never recognised: %s", async (type, bytes) => {
    for (const share of [0.02, 0.3, 0.9]) {
      expect(await failureOf(type, cut(bytes, share), never), String(share)).toMatchObject({ failure: "damaged" })
    }
  })

  it("that states more pixels than allowed is refused before it is unpacked", async () => {
    const wide = writePng({ width: 60_000, height: 60_000 }, new Uint8Array(8))
    expect(await failureOf("png", wide, never)).toMatchObject({
      failure: "too_long",
      reason: expect.stringMatching(/60,000 by 60,000 pixels; up to 50,000,000/)
    })
    const jpeg = samplePicture("page.jpg")
    const sof = Buffer.from(jpeg).indexOf("ffc0", 0, "hex")
    jpeg.set([0xff, 0xff, 0xff, 0xff], sof + 5)
    expect(await failureOf("jpg", jpeg, never)).toMatchObject({ failure: "too_long" })
    const webp = extendedWebp(samplePicture("page.webp"), { width: 1 << 24, height: 1 << 24 })
    expect(await failureOf("webp", webp, never)).toMatchObject({ failure: "too_long" })
    const few = { maxPixels: 30_000 }
    for (const [type, name] of [
      ["webp", "lossy.webp"],
      ["webp", "page.webp"],
      ["heic", "page.heic"]
    ] as const) {
      expect(await failureOf(type, samplePicture(name), never, few), name).toMatchObject({ failure: "too_long" })
    }
  })

  it("that unpacks to more than it states, in its pixels or beside them, ends at the limit of memory", async () => {
    const zeros = deflateSync(Buffer.alloc(300 * 1024 * 1024))
    const beside = Buffer.concat([Buffer.from("Comment\0\0", "latin1"), zeros])
    const limits = { maxMemoryBytes: 256 * 1024 * 1024 }
    const size = { width: 1, height: 1 }
    const inPixels = await failureOf("png", writePng(size, Buffer.alloc(300 * 1024 * 1024)), blind, limits)
    expect(inPixels?.failure).toMatch(/damaged|too_costly|scan/)
    const inComment = await failureOf("png", writePng(size, Buffer.from([0, 255]), [["zTXt", beside]]), blind, limits)
    expect(inComment?.failure).toMatch(/damaged|too_costly|scan/)
  })

  it("leaves the next one readable by the same process", async () => {
    const seeing: OcrService = { recognise: () => Effect.succeed("Read.") }
    const results = await Effect.gen(function* () {
      const { parse: read } = yield* DocumentParser
      const found: Array<string> = []
      for (const type of ["png", "jpg", "webp", "heic"] as const) {
        const whole = samplePicture(`page.${type}`)
        for (const bytes of [cut(whole, 0.5), whole]) {
          const result = yield* Effect.result(read({ type, bytes, userId: "ann" }))
          found.push(Result.isSuccess(result) ? result.success.text : (result.failure.failure ?? ""))
        }
      }
      return found
    }).pipe(
      Effect.provide(Layer.provide(WorkerDocumentParser.layer({ processes: 1 }), Layer.succeed(Ocr, seeing))),
      Effect.runPromise
    )
    expect(results).toEqual(Array.from({ length: 4 }, () => ["damaged", "Read."]).flat())
  })
})
