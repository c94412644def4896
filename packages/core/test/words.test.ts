import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  ChatNotFound,
  DocumentForbidden,
  DocumentNotFound,
  DocumentNotIndexed,
  DocumentQuotaExceeded,
  InsufficientCredits,
  ModelNotAllowed,
  RequestInProgress,
  StorageQuotaExceeded,
  TooManyAbandonedTries,
  TooManyReplies
} from "@parley/core/effect"
import { DailyCapReached, PromptTooLong, SessionInvalid } from "@parley/core/adapter"
import { countOf, DOCUMENT_FAILURES, fileTooLarge, mayBeReadAgain, momentOf, sizeOf } from "@parley/core/adapter"
import { identifyFile } from "../src/documents/storing/identifyFile.ts"

/** Words for developers only: numbers of bytes, names of fields, routes and ids, times in ISO 8601. */
const FOR_DEVELOPERS =
  /\b\d{4,}(?! [a-z])\d|[a-z][A-Z]|\b(?:GET|POST|PUT|DELETE) \/|\dT\d|\bbytes\b|[0-9a-f]{8}-[0-9a-f]{4}|idempotency|UUID/
const MIB = 1024 * 1024
const someId = "8b4f2c1e-0000-4000-8000-000000000000"
const bucket = { allowance: 1, topup: 0, held: 0, debt: 0, affordableModels: [] }
const nextResetAt = Date.parse("2026-12-01T14:05:00Z")
const resetsAt = Date.parse("2026-11-23T00:00:00Z")
const pro = { tier: "pro", tierName: "Pro" } as const

const SENTENCES: ReadonlyArray<readonly [error: { readonly message: string }, sentence: string]> = [
  [
    new InsufficientCredits({ required: 12_000, available: 1, nextResetAt, ...bucket }),
    "This may need 12,000 credits, and you have 1 credit. Buy credits, or wait until 1 December 2026, 14:05 UTC, when your monthly credits come."
  ],
  [
    new DailyCapReached({ kind: "bot", cap: 2000, spent: 1990, resetsAt, retryAfterMs: 5 }),
    "Today's limit of 2,000 credits for every bot of the account together is used up. Raise the limit, or wait until 23 November 2026."
  ],
  [
    new DocumentQuotaExceeded({
      ...pro,
      documents: 1,
      bytes: 12 * MIB + 5,
      failed: 0,
      maxDocuments: 1,
      maxDocumentBytes: 50 * MIB
    }),
    "The plan Pro has room for 1 document with 50 MB together; you have 1 document with 12 MB. Delete some you no longer need, or upgrade."
  ],
  [
    new DocumentQuotaExceeded({
      ...pro,
      documents: 1,
      bytes: MIB,
      failed: 4,
      maxDocuments: 2,
      maxDocumentBytes: 50 * MIB
    }),
    "The plan Pro has room for 2 documents with 50 MB together; you have 1 document with 1 MB, and 4 that could not be read. Delete some you no longer need, or upgrade."
  ],
  [
    new StorageQuotaExceeded({ ...pro, bytes: 100 * MIB - 1, maxChatBytes: 100 * MIB }),
    "The plan Pro has room for 100 MB of chats; yours have 99 MB. Delete some you no longer need, or upgrade."
  ],
  [
    new ModelNotAllowed({
      model: "model-a",
      modelName: "GPT-6.1 Terra",
      tier: "free",
      tierName: "Free",
      allowedTiers: ["pro", "business"],
      allowedTierNames: ["Pro", "Business"]
    }),
    "The plan Free does not include GPT-6.1 Terra. Choose another model, or one of these plans: Pro, Business."
  ],
  [
    new PromptTooLong({ tokens: 140_000, window: 128_000 }),
    "The message is too long for the model: it has about 140,000 tokens, and the model takes 128,000 tokens. Shorten it, or upload it as a document."
  ],
  [
    new TooManyAbandonedTries({ perMinute: 1, retryAfterMs: 300 }),
    "More than 1 time within a minute, a reply was stopped before its first word. Wait 1 second, then wait for the replies you ask for."
  ],
  [
    new TooManyReplies({ ...pro, limit: 1, retryAfterMs: 300 }),
    "The plan Pro writes at most 1 reply at once. Wait until one has ended."
  ],
  [
    fileTooLarge(20 * MIB),
    "The file is larger than the 20 MB that a document may have. Split it, or reduce its images."
  ]
]

describe("sentences for people", () => {
  it.each(SENTENCES)("say sizes, numbers and moments as people do: %s", (error, sentence) => {
    expect(error.message).toBe(sentence)
    expect(error.message).not.toMatch(FOR_DEVELOPERS)
  })

  it.each([
    new DocumentNotFound({ documentId: someId }),
    new DocumentForbidden({ documentId: someId }),
    new DocumentNotIndexed({ documentId: someId }),
    new ChatNotFound({ chatId: someId }),
    new RequestInProgress(),
    new SessionInvalid({ problem: "missing" })
  ])("name no field, route or id: %s", ({ message }) => {
    expect(message).not.toMatch(FOR_DEVELOPERS)
    expect(message).toMatch(/^[A-Z].*\.$/)
  })

  it("name the types of files by their endings", () => {
    const refused = identifyFile({ filename: "a.exe", bytes: new Uint8Array([1]), accepted: ["pdf", "md"] })
    if (refused._tag === "Success") throw new Error("accepted")
    expect(refused.failure.message).toBe("a.exe is of a type that is not accepted. Accepted are .pdf and .md.")
  })

  it.each([
    [0, "0 bytes"],
    [1, "1 byte"],
    [1023, "1,023 bytes"],
    [1024, "1 kB"],
    [1536, "1.5 kB"],
    [20 * MIB, "20 MB"],
    [20 * MIB - 1, "19 MB"],
    [2 * MIB - 1, "1.9 MB"],
    [1024 * MIB, "1 GB"],
    [5000 * 1024 ** 4, "5,000 TB"]
  ])("a size of %i is %s", (bytes, said) => {
    expect(sizeOf(bytes)).toBe(said)
  })

  it("a size is never said to be more than it is, and a greater one never less", () => {
    const factor: Readonly<Record<string, number>> = {
      byte: 1,
      bytes: 1,
      kB: 2 ** 10,
      MB: 2 ** 20,
      GB: 2 ** 30,
      TB: 2 ** 40
    }
    const meant = (said: string) => {
      const [number = "", unit = ""] = said.split(" ")
      return Number(number.replaceAll(",", "")) * factor[unit]!
    }
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), (one, other) => {
        expect(meant(sizeOf(one))).toBeLessThanOrEqual(one)
        expect(meant(sizeOf(one))).toBeGreaterThan(one * 0.89 - 1)
        if (one < other) expect(meant(sizeOf(one))).toBeLessThanOrEqual(meant(sizeOf(other)))
      })
    )
  })

  it("numbers have their plural, moments their day", () => {
    expect([0, 1, 2, 1000].map((count) => countOf(count, "reply", "replies"))).toEqual([
      "0 replies",
      "1 reply",
      "2 replies",
      "1,000 replies"
    ])
    expect(momentOf(Date.UTC(2026, 11, 1))).toBe("1 December 2026")
    expect(momentOf(Date.UTC(2026, 0, 31, 9, 5))).toBe("31 January 2026, 09:05 UTC")
  })
})

describe("a document that failed", () => {
  it("is worth trying again only where the bytes are not to blame", () => {
    expect(DOCUMENT_FAILURES.filter(mayBeReadAgain)).toEqual(["waiting", "our_side"])
    expect(mayBeReadAgain(undefined)).toBe(false)
  })
})
