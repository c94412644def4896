import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { allRows } from "../storage/allRows.ts"
import type { Document } from "../../documents/Document.ts"
import { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import { ampleQuota, newDocument, newUserId } from "../storage/storageFixtures.ts"
import { type Run, suiteOn } from "../suiteOn.ts"

const inserting = (run: Run<DocumentStore>) => {
  it("a document comes back as it was inserted", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const document = newDocument(newUserId(), { filename: "Bericht 'ü' \u{1F600}.md", type: "md", bytes: 0 })
        expect(yield* documents.insert(document, ampleQuota)).toEqual({ _tag: "Inserted" })
        expect(yield* documents.find(document.userId, [document.id])).toEqual([document])
      })
    ))

  it("a full quota refuses with the owner's totals, and stores nothing", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const userId = newUserId()
        const quota = { maxDocuments: 2, maxDocumentBytes: 2500 }
        yield* documents.insert(newDocument(userId, { bytes: 1000 }), quota)
        const tooLarge = newDocument(userId, { bytes: 1501 })
        expect(yield* documents.insert(tooLarge, quota)).toEqual({
          _tag: "Full",
          documents: 1,
          bytes: 1000,
          failed: 0
        })
        expect(yield* documents.insert(newDocument(userId, { bytes: 1500 }), quota)).toEqual({ _tag: "Inserted" })
        const oneMore = newDocument(userId, { bytes: 0 })
        expect(yield* documents.insert(oneMore, quota)).toEqual({
          _tag: "Full",
          documents: 2,
          bytes: 2500,
          failed: 0
        })
        expect(yield* documents.find(userId, [tooLarge.id, oneMore.id])).toEqual([])
      })
    ))

  it("a repeated file names the owner's first document of the same content that has not failed", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const [ann, bob] = [newUserId(), newUserId()]
        const [content, other] = ["ab".repeat(32), "cd".repeat(32)]
        const insert = (userId: string, given: string | undefined, createdAt = 1_000) => {
          const document = newDocument(userId, { createdAt })
          return Effect.map(documents.insert(document, ampleQuota, given), (result) => ({ id: document.id, result }))
        }
        const none = { _tag: "Inserted", sameAs: undefined }
        const first = yield* insert(ann, content, 1_000)
        expect(first.result).toEqual(none)
        expect((yield* insert(ann, content, 2_000)).result).toEqual({ _tag: "Inserted", sameAs: first.id })
        expect((yield* insert(ann, content, 3_000)).result).toEqual({ _tag: "Inserted", sameAs: first.id })
        expect((yield* insert(ann, other)).result).toEqual(none)
        expect((yield* insert(ann, undefined)).result).toEqual(none)
        const bobs = yield* insert(bob, content)
        expect(bobs.result).toEqual(none)
        yield* documents.update(bob, bobs.id, ["processing"], { status: "failed", progress: 0, reason: "Broken." })
        expect((yield* insert(bob, content)).result).toEqual(none)
        yield* documents.remove(ann, first.id)
        expect((yield* insert(ann, content, 4_000)).result).not.toEqual({ _tag: "Inserted", sameAs: first.id })
      })
    ))

  it("insertions at the same moment cannot exceed the quota together, of documents or of bytes", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const insertedOf = (quota: { maxDocuments: number; maxDocumentBytes: number }) => {
          const userId = newUserId()
          const each = Array.from({ length: 16 }, () => documents.insert(newDocument(userId, { bytes: 100 }), quota))
          return Effect.map(
            Effect.all(each, { concurrency: "unbounded" }),
            (results) => results.filter((result) => result._tag === "Inserted").length
          )
        }
        for (let round = 0; round < 5; round++) {
          expect(yield* insertedOf({ maxDocuments: 5, maxDocumentBytes: 1_000_000 })).toBe(5)
          expect(yield* insertedOf({ maxDocuments: 100, maxDocumentBytes: 399 })).toBe(3)
        }
      })
    ))

  it("failed documents take none of the quota, and have as much room beside it", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const userId = newUserId()
        const quota = { maxDocuments: 2, maxDocumentBytes: 2000 }
        const insert = (size: number) => documents.insert(newDocument(userId, { bytes: size }), quota)
        const insertFailed = Effect.fnUntraced(function* (size: number) {
          const document = newDocument(userId, { bytes: size })
          expect(yield* documents.insert(document, quota)).toEqual({ _tag: "Inserted" })
          yield* documents.update(userId, document.id, ["processing"], { status: "failed", progress: 0, reason: "No." })
        })
        yield* insertFailed(900)
        yield* insertFailed(800)
        expect(yield* insert(1000)).toEqual({ _tag: "Inserted" })
        expect(yield* insert(1001)).toEqual({ _tag: "Full", documents: 1, bytes: 1000, failed: 2 })
        expect(yield* insert(1000)).toEqual({ _tag: "Inserted" })
        expect(yield* insert(0)).toEqual({ _tag: "Full", documents: 2, bytes: 2000, failed: 2 })

        const hoarder = newUserId()
        for (let round = 0; round < 4; round++) {
          const document = newDocument(hoarder, { bytes: 10 })
          expect(yield* documents.insert(document, quota)).toEqual({ _tag: "Inserted" })
          yield* documents.update(hoarder, document.id, ["processing"], { status: "failed", progress: 0 })
        }
        expect(yield* documents.insert(newDocument(hoarder, { bytes: 10 }), quota)).toEqual({
          _tag: "Full",
          documents: 0,
          bytes: 0,
          failed: 4
        })
      })
    ))

  it("a failed document is taken again within the quota, once, and one that is not failed stays as it is", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const userId = newUserId()
        const quota = { maxDocuments: 1, maxDocumentBytes: 1000 }
        const document = newDocument(userId)
        yield* documents.insert(document, quota)
        yield* documents.update(userId, document.id, ["processing"], { status: "failed", progress: 0.5, reason: "No." })
        const other = newDocument(userId)
        yield* documents.insert(other, quota)
        expect(yield* documents.insert(document, quota)).toMatchObject({ _tag: "Full", documents: 1, failed: 1 })
        expect(yield* documents.find(userId, [document.id])).toMatchObject([{ status: "failed", reason: "No." }])
        yield* documents.remove(userId, other.id)
        const both = [documents.insert(document, quota), documents.insert(document, quota)]
        const results = yield* Effect.all(both, { concurrency: "unbounded" })
        expect(results.map(({ _tag }) => _tag).toSorted()).toEqual(["Inserted", "Known"])
        expect(yield* documents.find(userId, [document.id])).toEqual([document])
        yield* documents.update(userId, document.id, ["processing"], { status: "ready", progress: 1 })
        expect(yield* documents.insert(document, quota)).toEqual({ _tag: "Known" })
        expect(yield* documents.find(userId, [document.id])).toMatchObject([{ status: "ready" }])
      })
    ))

  it("the room of a removed document is free again", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const userId = newUserId()
        const quota = { maxDocuments: 1, maxDocumentBytes: 1000 }
        const first = newDocument(userId)
        yield* documents.insert(first, quota)
        yield* documents.remove(userId, first.id)
        expect(yield* documents.insert(newDocument(userId), quota)).toEqual({ _tag: "Inserted" })
      })
    ))
}

const reading = (run: Run<DocumentStore>) => {
  it("find returns the owner's, and none of others; an id that is no UUID names none", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const userId = newUserId()
        const [mine, second, yours] = [newDocument(userId), newDocument(userId), newDocument(newUserId())]
        for (const document of [mine, second, yours]) yield* documents.insert(document, ampleQuota)
        const ids = [mine.id, crypto.randomUUID(), "nonsense'", yours.id, second.id.toUpperCase()]
        expect(new Set(yield* documents.find(userId, ids))).toEqual(new Set([mine, second]))
        expect(yield* documents.find(yours.userId, ids)).toEqual([yours])
        expect(yield* documents.find(newUserId(), ids)).toEqual([])
        expect(yield* documents.find(userId, [])).toEqual([])
      })
    ))

  it("exists says whether any owner has the document, until it is removed", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const { id, userId } = newDocument(newUserId())
        expect(yield* documents.exists(id)).toBe(false)
        yield* documents.insert(newDocument(userId, { id }), ampleQuota)
        expect(yield* documents.exists(id)).toBe(true)
        expect(yield* documents.exists(id.toUpperCase())).toBe(true)
        expect(yield* documents.exists("nonsense'")).toBe(false)
        yield* documents.remove(userId, id)
        expect(yield* documents.exists(id)).toBe(false)
      })
    ))

  it("documents of one id under two owners are two documents", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const mine = newDocument(newUserId())
        const yours = newDocument(newUserId(), { id: mine.id, filename: "other.pdf" })
        for (const document of [mine, yours]) yield* documents.insert(document, ampleQuota)
        yield* documents.update(mine.userId, mine.id, ["processing"], { status: "ready", progress: 1 })
        expect(yield* documents.find(yours.userId, [yours.id])).toEqual([yours])
        expect(yield* documents.remove(mine.userId, mine.id)).toBe(true)
        expect(yield* documents.find(yours.userId, [yours.id])).toEqual([yours])
        expect(yield* documents.exists(mine.id)).toBe(true)
      })
    ))

  it("a person's list is theirs alone, newest first", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const userId = newUserId()
        const ages = [3, 1, 2].map((days) => newDocument(userId, { createdAt: 1_767_225_600_000 - days * 86_400_000 }))
        for (const document of ages) yield* documents.insert(document, ampleQuota)
        yield* documents.insert(newDocument(newUserId()), ampleQuota)
        const listed = yield* documents.list(userId)
        expect(listed.map((document) => document.id)).toEqual([ages[1]?.id, ages[2]?.id, ages[0]?.id])
      })
    ))
}

const sweeping = (run: Run<DocumentStore>) => {
  it("the documents in work of all people are listed page by page, each once, and no others", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const [ann, bob] = [newUserId(), newUserId()]
        const inWork = [newDocument(ann), newDocument(ann), newDocument(bob), newDocument(bob), newDocument(bob)]
        const ready = newDocument(ann, { status: "ready", progress: 1 })
        const failed = newDocument(bob, { status: "failed", reason: "The file is broken.", reasonCode: "damaged" })
        for (const document of [...inWork, ready, failed]) yield* documents.insert(document, ampleQuota)
        const found = yield* allRows((after) => documents.listByStatus({ status: "processing", after, limit: 2 }))
        const listed = found.map(({ id, userId }) => ({ userId, documentId: id }))
        const ids = listed.map(({ documentId }) => documentId)
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids).not.toContain(ready.id)
        expect(ids).not.toContain(failed.id)
        expect(listed).toEqual(expect.arrayContaining(inWork.map(({ id, userId }) => ({ userId, documentId: id }))))
      })
    ))
}

const listingReady = (run: Run<DocumentStore>) => {
  it("ready documents are listed in pages: of all people, of one person, or the one of an id, and no others", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const [userId, other] = [newUserId(), newUserId()]
        const state = { status: "ready", progress: 1, passages: 3 } as const
        const own = Array.from({ length: 3 }, () => newDocument(userId, state))
        const theirs = newDocument(other, state)
        const unready = [newDocument(userId), newDocument(userId, { status: "failed" })]
        for (const document of [...own, theirs, ...unready]) yield* documents.insert(document, ampleQuota)
        const listed = (of: { readonly userId?: string; readonly documentId?: string }) =>
          allRows((after) => documents.listByStatus({ status: "ready", ...of, after, limit: 2 }))
        const byId = (a: Document, b: Document) => (a.id < b.id ? -1 : 1)
        expect(yield* listed({ userId })).toEqual(own.toSorted(byId))
        expect(yield* listed({ userId, documentId: own[1]!.id.toUpperCase() })).toEqual([own[1]])
        expect(yield* listed({ documentId: theirs.id })).toEqual([theirs])
        expect(yield* listed({ userId, documentId: theirs.id })).toEqual([])
        expect(yield* listed({ documentId: unready[0]!.id })).toEqual([])
        expect(yield* listed({ documentId: "nothing" })).toEqual([])
        const everybodys = yield* listed({})
        expect(everybodys).toEqual(expect.arrayContaining([...own, theirs]))
        expect(new Set(everybodys.map(({ id }) => id)).size).toBe(everybodys.length)
        expect(everybodys.every(({ status }) => status === "ready")).toBe(true)
      })
    ))
}

const changing = (run: Run<DocumentStore>) => {
  it("a change of state happens only from the states named, and only for the owner", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const document = newDocument(newUserId())
        yield* documents.insert(document, ampleQuota)
        const ready = { status: "ready", progress: 1, pages: 12, passages: 40 } as const
        expect(yield* documents.update(document.userId, document.id, ["processing"], ready)).toBe(true)
        expect(yield* documents.find(document.userId, [document.id])).toEqual([{ ...document, ...ready }])
        expect(yield* documents.update(document.userId, document.id, ["processing", "failed"], ready)).toBe(false)
        expect(yield* documents.update(document.userId, document.id, [], ready)).toBe(false)
        expect(yield* documents.update(document.userId, crypto.randomUUID(), ["ready"], ready)).toBe(false)
        expect(yield* documents.update(document.userId, "nonsense'", ["ready"], ready)).toBe(false)
        expect(yield* documents.update(newUserId(), document.id, ["ready"], ready)).toBe(false)
      })
    ))

  it("a failed document says why; tried again, it no longer does", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const document = newDocument(newUserId())
        yield* documents.insert(document, ampleQuota)
        const reason = "The file is encrypted."
        yield* documents.update(document.userId, document.id, ["processing"], {
          status: "failed",
          progress: 0,
          reason,
          reasonCode: "password"
        })
        expect(yield* documents.find(document.userId, [document.id])).toEqual([
          { ...document, status: "failed", reason, reasonCode: "password" }
        ])
        yield* documents.update(document.userId, document.id, ["failed"], { status: "processing", progress: 0.5 })
        expect(yield* documents.find(document.userId, [document.id])).toEqual([{ ...document, progress: 0.5 }])
      })
    ))

  it("a document that is ready in part has a notice, until it is read whole", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const { id, userId } = newDocument(newUserId())
        yield* documents.insert({ ...newDocument(userId), id }, ampleQuota)
        const noticeAfter = (notice: string | undefined) =>
          Effect.gen(function* () {
            const change = { status: "ready", progress: 1, pages: 20, passages: 8, notice } as const
            yield* documents.update(userId, id, ["processing", "ready"], change)
            return (yield* documents.find(userId, [id]))[0]?.notice
          })
        expect(yield* noticeAfter("12 of 20 pages have no readable text.")).toBe(
          "12 of 20 pages have no readable text."
        )
        expect(yield* noticeAfter(undefined)).toBeUndefined()
      })
    ))

  it("of changes at the same moment from the same state, one happens", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const document = newDocument(newUserId())
        yield* documents.insert(document, ampleQuota)
        const change = documents.update(document.userId, document.id, ["processing"], { status: "ready", progress: 1 })
        const results = yield* Effect.all(
          Array.from({ length: 8 }, () => change),
          { concurrency: "unbounded" }
        )
        expect(results.filter(Boolean)).toHaveLength(1)
      })
    ))

  it("only the owner removes a document", () =>
    run(
      Effect.gen(function* () {
        const documents = yield* DocumentStore
        const document = newDocument(newUserId())
        yield* documents.insert(document, ampleQuota)
        expect(yield* documents.remove(newUserId(), document.id)).toBe(false)
        expect(yield* documents.find(document.userId, [document.id])).toHaveLength(1)
        expect(yield* documents.remove(document.userId, document.id)).toBe(true)
        expect(yield* documents.find(document.userId, [document.id])).toEqual([])
        expect(yield* documents.remove(document.userId, document.id)).toBe(false)
        expect(yield* documents.remove(document.userId, "nonsense'")).toBe(false)
      })
    ))
}

/**
 * Tests the guarantees of a `DocumentStore`. Each test uses people of its own. `layer` is built once, for all tests.
 */
export const documentStoreContract = (name: string, layer: Layer.Layer<DocumentStore, unknown>): void =>
  suiteOn(`DocumentStore: ${name}`, layer, (run) => {
    inserting(run)
    reading(run)
    sweeping(run)
    listingReady(run)
    changing(run)
  })
