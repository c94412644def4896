import { deflateSync } from "node:zlib"
import { decode } from "@cwasm/lodepng"
import type { DocumentType } from "@parley/core"
import { DocumentParser, Ocr, OcrFailed, type OcrService } from "@parley/core/adapter"
import { Effect, Exit, Layer, Result } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { DEFAULT_PARSER_LIMITS, type ParserLimits, WorkerDocumentParser } from "../src/index.ts"
import { decodeHeic, readPicture } from "../src/parsing/image/readPicture.ts"
import type { Unreadable } from "../src/parsing/Unreadable.ts"
import { extendedWebp, samplePicture, turnedJpeg, writePng } from "./fixtures/writePicture.ts"
import { sharedParser } from "./fixtures/sharedParser.ts"

const SIZE = { width: 244, height: 130 }

const parse = sharedParser()

/** Returns the picture that text recognition gets, as red, green, blue and how opaque. */
const shown = async (bytes: Uint8Array, limits = DEFAULT_PARSER_LIMITS) => {
  const { pages, pictures } = await readPicture(bytes, limits)
  expect([pages, pictures.length]).toEqual([1, 1])
  return decode(pictures[0]!)
}

/** Returns why text recognition gets no picture. */
const problemOf = async (bytes: Uint8Array, limits: Partial<ParserLimits> = {}) =>
  readPicture(bytes, { ...DEFAULT_PARSER_LIMITS, ...limits }).then(
    () => "none",
    ({ failure, message }: Unreadable) => `${failure}: ${message}`
  )

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
  it("is recognised as a page of a scan is", async () => {
    const reading: OcrService = {
      recognise: ({ page, png }) => Effect.succeed(`${page}: ${decode(png).width}.\u0000\r\n`)
    }
    const results = await Effect.gen(function* () {
      const { parse: read } = yield* DocumentParser
      return yield* Effect.forEach(["png", "jpg", "webp", "heic"] as const, (type) =>
        read({ type, bytes: samplePicture(`page.${type}`), userId: "ann" })
      )
    }).pipe(Effect.provide(Layer.provide(WorkerDocumentParser.layer(), Layer.succeed(Ocr, reading))), Effect.runPromise)
    expect(results).toEqual(Array.from({ length: 4 }, () => ({ text: "1: 244.", pageStarts: null })))
  })

  it.each<[string, Uint8Array]>([
    ["PNG", samplePicture("page.png")],
    ["JPEG", samplePicture("page.jpg")],
    ["WebP without loss", samplePicture("page.webp")],
    ["WebP", samplePicture("lossy.webp")],
    ["WebP with extensions", extendedWebp(samplePicture("page.webp"), SIZE)],
    ["HEIC", samplePicture("page.heic")]
  ])("of the format %s has its own content", async (_, bytes) => {
    const picture = await shown(bytes)
    expect(picture).toMatchObject(SIZE)
    expect(difference(picture, page())).toBeLessThan(4)
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])("is upright as its camera noted: %d", async (orientation) => {
    const picture = await shown(turnedJpeg(samplePicture("page.jpg"), orientation, orientation % 2 === 0))
    const { height, width, data } = await shown(samplePicture("page.jpg"))
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
    const { data, height, width } = await shown(writePng(size, rows))
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

it("of the format HEIC is refused with advice if its decoder is not installed", async () => {
  const { failure, message } = await decodeHeic(samplePicture("page.heic"), DEFAULT_PARSER_LIMITS, undefined).then(
    () => expect.unreachable(),
    (cause: Unreadable) => cause
  )
  expect([failure, message]).toEqual(["unreadable", expect.stringMatching(/libheif-js.*Save it as JPEG/)])
})

describe("a hostile picture", () => {
  // The decoder of HEIC reports what it finds there.
  beforeEach(() => void vi.spyOn(console, "log").mockReturnValue())
  afterEach(() => void vi.restoreAllMocks())

  const cut = (bytes: Uint8Array, share: number) => bytes.slice(0, Math.floor(bytes.length * share))

  it.each(["page.png", "page.jpg", "page.webp", "lossy.webp", "page.heic"] as const)(
    "that is cut off is damaged: %s",
    async (name) => {
      for (const share of [0.002, 0.02, 0.3, 0.9]) {
        expect(await problemOf(cut(samplePicture(name), share)), String(share)).toMatch(/^damaged/)
      }
    }
  )

  it("that states more pixels than allowed is refused before it is unpacked", async () => {
    const wide = writePng({ width: 60_000, height: 60_000 }, new Uint8Array(8))
    expect(await problemOf(wide)).toMatch(/^too_long: .*60,000 by 60,000 pixels; up to 50,000,000/)
    const jpeg = samplePicture("page.jpg")
    const sof = Buffer.from(jpeg).indexOf("ffc0", 0, "hex")
    jpeg.set([0xff, 0xff, 0xff, 0xff], sof + 5)
    expect(await problemOf(jpeg)).toMatch(/^too_long/)
    const webp = extendedWebp(samplePicture("page.webp"), { width: 1 << 24, height: 1 << 24 })
    expect(await problemOf(webp)).toMatch(/^too_long/)
    for (const name of ["lossy.webp", "page.webp", "page.heic"] as const) {
      expect(await problemOf(samplePicture(name), { maxPixels: SIZE.width * SIZE.height - 1 }), name).toMatch(
        /^too_long/
      )
    }
  })

  it("that hides its size from one who reads the lengths of its segments is damaged", async () => {
    const page = samplePicture("page.jpg")
    // RST0 has no length: a reader that takes one skips over the true size to a stated one.
    const hidden = Buffer.concat([page.subarray(0, 2), Buffer.from([0xff, 0xd0]), page.subarray(2)])
    expect(await failureOf("jpg", hidden, blind)).toMatchObject({ failure: "damaged" })
  })

  it("whose pixels unpack to more than it states ends at the limit of memory, and what stands beside them stays packed", async () => {
    const zeros = deflateSync(Buffer.alloc(300 * 1024 * 1024))
    const beside = Buffer.concat([Buffer.from("Comment\0\0", "latin1"), zeros])
    const limits = { maxMemoryBytes: 256 * 1024 * 1024 }
    const size = { width: 1, height: 1 }
    const inPixels = await failureOf("png", writePng(size, Buffer.alloc(300 * 1024 * 1024)), blind, limits)
    expect(inPixels).toMatchObject({ failure: "too_costly", exhausting: true })
    const inComment = await failureOf("png", writePng(size, Buffer.from([0, 255]), [["zTXt", beside]]), blind, limits)
    expect(inComment).toMatchObject({ reason: expect.stringMatching(/No text was recognised/) })
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
