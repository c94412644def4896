import { passagePorts } from "./passagePorts.ts"
/**
 * Two transactions on the generations of one document, of which the second is seen to wait for the first: tests each
 * row lock of the functions that index.
 */
import type { PassageIndex, PassageWriter } from "@parley/core/adapter"
import { DocumentStore } from "@parley/core/adapter"
import { ampleQuota, newDocument, newUserId, passagesOf, type Run, suiteOn } from "@parley/core/testing"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Database } from "../../src/database/Database.ts"
import { DatabaseOwner } from "../../src/database/DatabaseOwner.ts"
import { PgDocumentStoreLayer } from "../../src/documents/storing/PgDocumentStore.ts"
import { PgPassageIndexLayer } from "../../src/documents/indexing/PgPassageIndex.ts"
import { databases } from "../databases.ts"
import { unsound } from "./unsoundIndex.ts"

type Parts = Database | DatabaseOwner | DocumentStore | PassageIndex | PassageWriter

/** Connections that wait for a row or a transaction of another. The database is the suite's own. */
const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

/**
 * Runs `first` in a transaction and, before its commit, `second` in another: it continues once the second is seen to
 * wait, or has ended without waiting. Then runs `more` in the first transaction. Returns the outcome of the second.
 */
const meanwhile = <A, E, F, R, S, G = never, T = never>(
  first: Effect.Effect<unknown, F, R>,
  second: Effect.Effect<A, E, S>,
  more: Effect.Effect<unknown, G, T> = Effect.void
) =>
  Effect.gen(function* () {
    const { unitOfWork } = yield* Database
    const { asOwner } = yield* DatabaseOwner
    const done = yield* Deferred.make<void>()
    const goOn = yield* Deferred.make<void>()
    const held = yield* Effect.forkScoped(
      unitOfWork(
        Effect.gen(function* () {
          yield* first
          yield* Deferred.succeed(done, undefined)
          yield* Deferred.await(goOn)
          yield* more
        })
      )
    )
    yield* Effect.raceFirst(Deferred.await(done), Fiber.join(held))
    const other = yield* Effect.forkScoped(Effect.result(second))
    const waiting = asOwner((sql) => sql.query(WAITING))
    while (other.pollUnsafe() === undefined && (yield* waiting).length === 0) yield* Effect.yieldNow
    yield* Deferred.succeed(goOn, undefined)
    yield* Fiber.join(held)
    return yield* Fiber.join(other)
  })

type Key = { readonly userId: string; readonly documentId: string }

/** A document without passages. */
const newlyStored = Effect.gen(function* () {
  const userId = newUserId()
  const document = newDocument(userId, { status: "ready" })
  yield* (yield* DocumentStore).insert(document, ampleQuota)
  return { userId, documentId: document.id } satisfies Key
})

const OF_OLD = ["lift of old", "drag"]
const ANEW = ["lift anew", "rotor", "flap"]

const parsed = (texts: ReadonlyArray<string>) => ({ text: texts.join(" "), pageStarts: null })

const begin = (key: Key, texts: ReadonlyArray<string>, fingerprint: string = crypto.randomUUID()) =>
  Effect.flatMap(passagePorts, (index) => index.begin({ ...key, parsed: parsed(texts), fingerprint }))

const put = (key: Key, texts: ReadonlyArray<string>, fingerprint: string = crypto.randomUUID()) =>
  Effect.flatMap(passagePorts, (index) =>
    index.put({ ...key, parsed: parsed(texts), fingerprint, passages: passagesOf(...texts) })
  )

/** A document that is searched, and a second generation that has its passages and waits for the switch. */
const withTwoGenerations = Effect.gen(function* () {
  const key = yield* newlyStored
  yield* put(key, OF_OLD)
  const generation = yield* begin(key, ANEW)
  yield* (yield* passagePorts).add(generation, passagesOf(...ANEW))
  return { key, generation }
})

/** The texts of the searched passages; undefined if there are none. */
const searched = (key: Key) =>
  Effect.map(
    Effect.flatMap(passagePorts, (index) => index.read(key)),
    (found) => found?.passages.map(({ text }) => text)
  )

const gone = { failure: { _tag: "GenerationGone" } }

const waits = (run: Run<Parts>) => {
  it("a text that is begun twice at once is one generation, which the second continues", () =>
    run(
      Effect.gen(function* () {
        const key = yield* newlyStored
        const second = yield* meanwhile(begin(key, ANEW, "same"), begin(key, ANEW, "same"))
        expect(second).toMatchObject({ success: { generation: 1, passages: 0 } })
      })
    ))

  it("a document that is put replaces what another had begun of it and committed meanwhile", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const key = yield* newlyStored
        const other = Effect.flatMap(begin(key, OF_OLD, "same"), (generation) =>
          index.add(generation, passagesOf(...OF_OLD))
        )
        expect(yield* meanwhile(other, put(key, ANEW, "same"))).toMatchObject({ success: { asked: 0 } })
        expect(yield* searched(key)).toEqual(ANEW)
        expect(yield* unsound(key.userId)).toEqual([])
      })
    ))

  it("passages that are added twice at once are there once, and neither addition fails", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const key = yield* newlyStored
        const generation = yield* begin(key, ANEW)
        const add = index.add(generation, passagesOf(...ANEW))
        expect(yield* meanwhile(add, add)).toMatchObject({ success: { asked: 0 } })
        yield* index.activate(generation)
        expect(yield* searched(key)).toEqual(ANEW)
        expect(yield* unsound(key.userId)).toEqual([])
      })
    ))

  it("passages that come while their generation becomes the searched one are not added to it", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const { generation, key } = yield* withTwoGenerations
        const more = passagesOf(...ANEW, "tail").slice(ANEW.length)
        expect(yield* meanwhile(index.activate(generation), index.add(generation, more))).toMatchObject(gone)
        expect(yield* searched(key)).toEqual(ANEW)
        expect(yield* unsound(key.userId)).toEqual([])
      })
    ))

  it("passages that come while another text replaces their generation fail because it is gone", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const key = yield* newlyStored
        const generation = yield* begin(key, OF_OLD)
        const add = index.add(generation, passagesOf(...OF_OLD))
        expect(yield* meanwhile(begin(key, ANEW), add)).toMatchObject(gone)
      })
    ))

  it("a switch to a generation that is being dropped leaves what is searched", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const { generation, key } = yield* withTwoGenerations
        expect(yield* meanwhile(index.abandon(generation), index.activate(generation))).toMatchObject(gone)
        expect(yield* searched(key)).toEqual(OF_OLD)
        expect(yield* unsound(key.userId)).toEqual([])
      })
    ))

  it("a switch that then writes to its document gets in no deadlock with the deletion of it", () =>
    run(
      Effect.gen(function* () {
        const index = yield* passagePorts
        const documents = yield* DocumentStore
        const { generation, key } = yield* withTwoGenerations
        const { documentId, userId } = key
        const finish = documents.update(userId, documentId, ["ready"], { status: "ready", progress: 1, passages: 3 })
        const removed = yield* meanwhile(index.activate(generation), documents.remove(userId, documentId), finish)
        expect(removed).toMatchObject({ _tag: "Success" })
        expect(yield* searched(key)).toBeUndefined()
        expect(yield* unsound(userId)).toEqual([])
      })
    ))
}

describe("on a real server", () => {
  const server = databases.find(({ name }) => name === "Postgres")
  it("TEST_DATABASE_URL names one", () => expect(server).toBeDefined())
  if (server === undefined) return
  const stores = Layer.provideMerge(Layer.mergeAll(PgDocumentStoreLayer, PgPassageIndexLayer), server.layer)
  suiteOn("Transactions on the generations of one document", stores, waits)
})
