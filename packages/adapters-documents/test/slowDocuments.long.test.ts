import { DocumentParser } from "@parley/core/adapter"
import { Effect, Result } from "effect"
import { expect, it } from "vitest"
import { type ParserLimits, WorkerDocumentParser } from "../src/index.ts"
import { writeNestedForms } from "./fixtures/writeNestedForms.ts"
import { writePdf } from "./fixtures/writePdf.ts"

const longPdf = () => writePdf(Array.from({ length: 15_000 }, (_, index) => [`Page ${index + 1} speaks of lift.`]))

it.each<[string, () => Uint8Array, Partial<ParserLimits>]>([
  ["of very many pages", longPdf, { maxMilliseconds: 1_500, maxPages: 50_000 }],
  ["that is small and draws form after form", writeNestedForms, { maxMilliseconds: 3_000 }]
])("a pdf %s is ended by the limit of every document, and the next one is read", async (_what, write, limits) => {
  await Effect.gen(function* () {
    const { parse } = yield* DocumentParser
    const slow = yield* Effect.flip(parse({ type: "pdf", bytes: write(), userId: "ann" }))
    expect(slow.reason).toContain(`took longer than the ${(limits.maxMilliseconds ?? 0) / 1_000} seconds`)
    const next = yield* Effect.result(
      parse({ type: "txt", bytes: new TextEncoder().encode("Still here."), userId: "ann" })
    )
    expect(Result.isSuccess(next) && next.success.text).toBe("Still here.")
  }).pipe(Effect.provide(WorkerDocumentParser.layer({ processes: 1, ...limits })), Effect.runPromise)
})
