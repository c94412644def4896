import { passagePorts } from "./passagePorts.ts"
/** A second generation that becomes the searched one, against what else happens to its document in the same moment. */
import type { PassageIndex, PassageWriter } from "@parley/core/adapter"
import { DocumentStore, GenerationGone } from "@parley/core/adapter"
import { ampleQuota, indexPassages, newDocument, newUserId, passagesOf, type Run, suiteOn } from "@parley/core/testing"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import type { Database } from "../../src/database/Database.ts"
import { PgDocumentStoreLayer } from "../../src/documents/storing/PgDocumentStore.ts"
import { PgPassageIndexLayer } from "../../src/documents/indexing/PgPassageIndex.ts"
import { databases } from "../databases.ts"
import { countGenerations, unsound } from "./unsoundIndex.ts"

type Parts = Database | DocumentStore | PassageIndex | PassageWriter

const ROUNDS = 25

/** A document of `userId` whose passages are these texts. */
const indexed = Effect.fnUntraced(function* (userId: string, texts: ReadonlyArray<string>) {
  const document = newDocument(userId, { status: "ready" })
  yield* (yield* DocumentStore).insert(document, ampleQuota)
  yield* indexPassages({ userId, documentId: document.id }, passagesOf(...texts))
  return document.id
})

/** The texts that are found in documents. */
const textsOf = (userId: string, documentIds: ReadonlyArray<string>, query: string) =>
  Effect.flatMap(passagePorts, (index) => index.search({ userId, documentIds, query, limit: 10 })).pipe(
    Effect.map((found) => found.map(({ text }) => text))
  )

/** The owner's totals, as a refusal returns them. */
const stored = (userId: string) =>
  DocumentStore.use((documents) => documents.insert(newDocument(userId), { ...ampleQuota, maxDocuments: 0 }))

/** A generation that has its passages, and waits to be searched. */
const filled = Effect.fnUntraced(function* (userId: string, documentId: string, ...texts: ReadonlyArray<string>) {
  const index = yield* passagePorts
  const passages = passagesOf(...texts)
  const parsed = { text: texts.join(" "), pageStarts: null }
  const generation = yield* index.begin({ userId, documentId, parsed, fingerprint: crypto.randomUUID() })
  yield* index.add(generation, passages)
  return generation
})

/** Both at once; every other round the second is first. What finds its generation gone has nothing to do. */
const atOnce = <E, F, R, S>(round: number, one: Effect.Effect<unknown, E, R>, other: Effect.Effect<unknown, F, S>) => {
  const both: ReadonlyArray<Effect.Effect<unknown, E | F, R | S>> = round % 2 === 0 ? [one, other] : [other, one]
  return Effect.all(both, { concurrency: "unbounded", discard: true })
}
const orGone = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.catchIf(
    work,
    (error) => error instanceof GenerationGone,
    () => Effect.void
  )

const racing = (run: Run<Parts>) => {
  it("a switch beside the deletion of its document leaves nothing of it, in either order", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const documents = yield* DocumentStore
        const userId = newUserId()
        const kept = yield* indexed(userId, ["lift and drag"])
        const before = yield* stored(userId)
        for (let round = 0; round < ROUNDS; round++) {
          const id = yield* indexed(userId, ["lift of old", "drag"])
          if (round % 3 > 0) yield* countGenerations(userId)
          const generation = yield* filled(userId, id, "lift anew", "rotor", "flap")
          const removal = documents.remove(userId, id)
          yield* atOnce(
            round,
            orGone(index.activate(generation)),
            round % 3 > 1 ? Effect.all([removal, countGenerations(userId)], { concurrency: "unbounded" }) : removal
          )
          expect(yield* unsound(userId), `round ${round}`).toEqual([])
          expect(yield* textsOf(userId, [kept, id], "lift")).toEqual(["lift and drag"])
          expect(yield* stored(userId)).toEqual(before)
        }
      })
    ))

  it("a switch beside one of another text leaves the whole of one of them, and the quota as it was", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const userId = newUserId()
        const id = yield* indexed(userId, ["lift of old", "drag"])
        const before = yield* stored(userId)
        const winners = new Set<string>()
        for (let round = 0; round < ROUNDS; round++) {
          const again = Effect.flatMap(filled(userId, id, "lift again", "rotor"), index.activate)
          const replaced = Effect.flatMap(filled(userId, id, "lift replaced", "flap", "tail"), index.activate)
          yield* atOnce(
            round,
            orGone(again),
            Effect.all([orGone(replaced), countGenerations(userId)], { concurrency: "unbounded" })
          )
          const found = yield* textsOf(userId, [id], "lift rotor flap tail")
          const [winner] = [
            ["lift again", "rotor"],
            ["lift replaced", "flap", "tail"]
          ].filter((all) => found.includes(all[0] ?? ""))
          expect(found.toSorted(), `round ${round}`).toEqual(winner?.toSorted())
          winners.add(winner?.[0] ?? "")
          // A begun generation that found itself deleted is dropped with the next one.
          expect((yield* unsound(userId)).filter(({ problem }) => problem !== "generations")).toEqual([])
          expect(yield* stored(userId)).toEqual(before)
        }
        expect(winners.size).toBeGreaterThan(0)
      })
    ))
}

describe("on a real server", () => {
  const server = databases.find(({ name }) => name === "Postgres")
  it("TEST_DATABASE_URL names one", () => expect(server).toBeDefined())
  if (server === undefined) return
  const stores = Layer.provideMerge(Layer.mergeAll(PgDocumentStoreLayer, PgPassageIndexLayer), server.layer)
  suiteOn("Switches of generations at the same time", stores, racing)
})
