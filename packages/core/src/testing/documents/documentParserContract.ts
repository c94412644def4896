import { Effect, type Layer, ManagedRuntime, Result } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { cutPassages } from "../../documents/indexing/cutPassages.ts"
import { DOCUMENT_FAILURES, type DocumentFailure, DocumentParser } from "../../documents/reading/DocumentParser.ts"
import type { DocumentType } from "../../documents/documentTypes.ts"

/**
 * A document whose text must contain these pieces in this order, on this number of pages (null: the type has no pages).
 */
export interface ReadableDocument {
  readonly name: string
  readonly type: DocumentType
  readonly bytes: () => Uint8Array
  readonly holds: ReadonlyArray<string>
  readonly pages: number | null
}

/** A document that cannot be read, for a reason that must match the pattern. */
export interface UnreadableDocument {
  readonly name: string
  readonly type: DocumentType
  readonly bytes: () => Uint8Array
  readonly reason: RegExp
  /** The expected reasons; any reason except `unreadable` unless given. */
  readonly failures?: ReadonlyArray<DocumentFailure>
}

/** Matches terms that only developers understand: sizes in bytes, names of fields and routes, times in ISO 8601. */
const FOR_DEVELOPERS = /\d{5,}|[a-z][A-Z]|\b(?:GET|POST|PUT|DELETE) \/|\dT\d|\bbytes\b/

export interface DocumentParserSamples {
  readonly readable: ReadonlyArray<ReadableDocument>
  readonly unreadable: ReadonlyArray<UnreadableDocument>
}

/** Tests the guarantees of a `DocumentParser` on samples of the types that it reads. `layer` is built once. */
export const documentParserContract = (
  name: string,
  layer: Layer.Layer<DocumentParser, unknown>,
  { readable, unreadable }: DocumentParserSamples
): void => {
  describe(`DocumentParser: ${name}`, () => {
    const runtime = ManagedRuntime.make(layer)
    let parser: DocumentParser["Service"]
    beforeAll(async () => {
      parser = await runtime.runPromise(DocumentParser)
    })
    afterAll(() => runtime.dispose())

    const parse = (type: DocumentType, bytes: Uint8Array) =>
      Effect.runPromise(parser.parse({ type, bytes, userId: "ann" }))
    const refusalOf = async (type: DocumentType, bytes: Uint8Array) => {
      const result = await Effect.runPromise(Effect.result(parser.parse({ type, bytes, userId: "ann" })))
      return Result.isFailure(result) ? result.failure : undefined
    }

    it.each(readable)("reads $name, in a form every store keeps unchanged", async ({ type, bytes, holds, pages }) => {
      const { text, pageStarts } = await parse(type, bytes())
      let from = 0
      for (const piece of holds) {
        const at = text.indexOf(piece, from)
        expect(at, `"${piece}" in "${text.slice(0, 500)}"`).toBeGreaterThanOrEqual(from)
        from = at + piece.length
      }
      expect(text.isWellFormed()).toBe(true)
      expect(text).not.toMatch(/[\0\r]/)
      expect(pageStarts?.length ?? null).toBe(pages)
      expect(pageStarts?.[0] ?? 0).toBe(0)
      expect(pageStarts).toEqual(pageStarts === null ? null : pageStarts.toSorted((one, other) => one - other))
      expect(pageStarts?.at(-1) ?? 0).toBeLessThanOrEqual(text.length)
      for (const { start, end, text: passage } of cutPassages({ text, pageStarts })) {
        expect(text.slice(start, end)).toBe(passage)
      }
    })

    it.each(unreadable)(
      "says in a sentence for people, and in a word for programs, why $name cannot be read",
      async ({ type, bytes, reason, failures = DOCUMENT_FAILURES.filter((failure) => failure !== "unreadable") }) => {
        const refusal = await refusalOf(type, bytes())
        expect(refusal?.reason).toMatch(reason)
        expect(refusal?.reason).toMatch(/^[A-Z].*\.$/)
        expect(refusal?.reason).not.toMatch(FOR_DEVELOPERS)
        expect(failures).toContain(refusal?.failure)
      }
    )

    it("reads many documents at once, each with its own answer", async () => {
      const bytes = (index: number) => new TextEncoder().encode(`Document ${index}.`)
      const texts = await Promise.all(Array.from({ length: 20 }, (_, index) => parse("txt", bytes(index))))
      expect(texts.map(({ text }) => text)).toEqual(texts.map((_, index) => `Document ${index}.`))
    })

    it("leaves the bytes it was given as they were", async () => {
      const bytes = new TextEncoder().encode("The same before and after.")
      const before = bytes.slice()
      await parse("txt", bytes)
      expect(bytes).toEqual(before)
    })
  })
}
