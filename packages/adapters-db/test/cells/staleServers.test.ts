/** Servers that have not heard of a move, on real databases: what they write, and what they answer. */
import {
  BotStore,
  ChatStore,
  CreditRecords,
  DocumentStore,
  jobHandler,
  JobQueue,
  Outbox,
  PassageIndex,
  PersonalData,
  PreferenceStore,
  UnitOfWork
} from "@parley/core/adapter"
import {
  ampleQuota,
  indexPassages,
  newBot,
  newDocument,
  newTurn,
  newUserId,
  receiptDraft,
  reservation,
  TestJob,
  testedLedger
} from "@parley/core/testing"
import { Deferred, Effect, type Layer } from "effect"
import { describe, expect, it } from "vitest"
import { moveOwner } from "../../src/cells/moving/moveOwner.ts"
import { type Cell, ownedDigests, ownerTables } from "../../src/cells/moving/ownerTables.ts"
import type { storesLayer } from "../../src/storesLayer.ts"
import { hasPostgres } from "../databases.ts"
import { eraseAll, faultsOf, moveOf, newOwners, openWorld, type World } from "./movingOwners.ts"
import { operate } from "./staleServers.ts"

type Ports = Layer.Success<ReturnType<typeof storesLayer>>
const NEVER = Number.POSITIVE_INFINITY

/** Has a server believe that all owners live where they live now. */
const believing = (world: World) =>
  Effect.forEach(world.servers, ({ directory }) => directory.refresh, { discard: true })

const on =
  (world: World, server = 0) =>
  <A, E>(call: Effect.Effect<A, E, Ports>) =>
    Effect.provide(call, world.servers[server]?.routed ?? expect.fail())

const rowsIn = ({ database, owner: login }: Cell, owner: string) =>
  login.asOwner((sql) =>
    Effect.flatMap(ownerTables(sql, database.schema, login.schemaName), (tables) => ownedDigests(sql, tables, owner))
  )

const move = (world: World, owner: string) => Effect.flatMap(moveOf(world, owner), moveOwner)

describe.runIf(hasPostgres)("a server that has not heard of a move", { timeout: 300_000 }, () => {
  it("writes the first row of an owner, in each table, where the owner lives now", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1, NEVER)
      const first: Readonly<Record<string, (userId: string) => Effect.Effect<unknown, unknown, Ports>>> = {
        account: (userId) =>
          Effect.flatMap(testedLedger, (ledger) => ledger.open({ userId, tier: "free", allowance: 5 })),
        chat: (userId) => ChatStore.use((chats) => chats.beginTurn(newTurn(userId))),
        document: (userId) => DocumentStore.use((documents) => documents.insert(newDocument(userId), ampleQuota)),
        preferences: (userId) =>
          PreferenceStore.use((store) => store.set(userId, { instructions: "Be brief.", modelId: null })),
        bot: (userId) => BotStore.use((bots) => bots.insert(newBot(userId), 9)),
        job: (userId) => JobQueue.use((jobs) => jobs.enqueue(userId, TestJob, { name: userId })),
        unit: (userId) =>
          UnitOfWork.use((unit) =>
            unit.run(
              userId,
              DocumentStore.use((documents) => documents.insert(newDocument(userId), ampleQuota))
            )
          )
      }
      yield* believing(world)
      for (const [name, write] of Object.entries(first)) {
        const owner = newUserId()
        expect(yield* move(world, owner)).toBe(0)
        yield* on(world)(write(owner))
        const [here, there] = [yield* rowsIn(world.cells[0], owner), yield* rowsIn(world.cells[1], owner)]
        expect([name, here.size, there.size > 0]).toEqual([name, 0, true])
      }
    }).pipe(Effect.scoped, Effect.runPromise))

  it("answers no, or nothing, only if that is so where the owner lives now", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(3, NEVER)
      for (const erased of [false, true]) {
        const owner = newUserId()
        const grant = (key: string, amount: number) =>
          Effect.flatMap(testedLedger, (ledger) => ledger.grant({ userId: owner, key, type: "topup", amount }))
        const open = Effect.flatMap(testedLedger, (ledger) =>
          ledger.open({ userId: owner, tier: "free", allowance: 5 })
        )
        yield* on(world)(open)
        yield* believing(world)
        yield* move(world, owner)
        if (erased) yield* eraseAll(world, 0)
        // Another server knows, and stores more.
        yield* world.servers[1]?.directory.refresh ?? Effect.void
        const [document, turn] = [newDocument(owner), newTurn(owner)]
        const stored = Effect.gen(function* () {
          yield* grant(`topup:${owner}`, 100)
          yield* (yield* DocumentStore).insert(document, ampleQuota)
          yield* (yield* ChatStore).beginTurn(turn)
        })
        yield* on(world, 1)(stored)
        const answers = Effect.gen(function* () {
          const found = yield* (yield* DocumentStore).find(owner, [document.id])
          const chat = yield* (yield* ChatStore).transcript({ owner: turn.owner, chatId: turn.chatId, limit: 9 })
          yield* (yield* testedLedger).reserve(reservation(owner, "reply:large", 50))
          yield* (yield* testedLedger).settle({ userId: owner, key: "reply:large", amount: 50, draft: receiptDraft })
          return [found.length, chat?.messages.length, (yield* (yield* CreditRecords).account(owner)).topup]
        })
        const inUnit = UnitOfWork.use((unit) =>
          unit.run(
            owner,
            DocumentStore.use((documents) => documents.find(owner, [document.id]))
          )
        )
        expect((yield* on(world, 2)(inUnit)).map(({ id }) => id)).toEqual([document.id])
        expect(yield* on(world)(answers)).toEqual([1, 2, 55])
        // What is nowhere is still not found.
        const stranger = newUserId()
        const missing = yield* on(world)(Effect.flip(CreditRecords.use((records) => records.account(stranger))))
        expect(missing).toMatchObject({ _tag: "AccountNotFound" })
      }
    }).pipe(Effect.scoped, Effect.runPromise))

  it("searches passages, and its worker and outbox go on with what was queued before the move", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1, NEVER)
      const owner = newUserId()
      const document = newDocument(owner)
      const key = { userId: owner, documentId: document.id }
      const before = Effect.gen(function* () {
        const ledger = yield* testedLedger
        yield* ledger.open({ userId: owner, tier: "free", allowance: 5 })
        yield* ledger.reserve(reservation(owner, "reply:1", 5))
        yield* ledger.settle({ userId: owner, key: "reply:1", amount: 3, draft: receiptDraft })
        yield* (yield* DocumentStore).insert(document, ampleQuota)
        yield* indexPassages(key, [{ ordinal: 0, page: 1, start: 0, end: 13, text: "Annual growth" }])
        yield* (yield* JobQueue).enqueue(owner, TestJob, { name: "queued" })
      })
      yield* on(world)(before)
      yield* believing(world)
      yield* move(world, owner)
      for (const erased of [false, true]) {
        if (erased) yield* eraseAll(world, 0)
        const search = { userId: owner, documentIds: [document.id], query: "growth", limit: 3 }
        const found = yield* on(world)(PassageIndex.use((passages) => passages.search(search)))
        expect(found.map(({ text }) => text)).toEqual(["Annual growth"])
      }
      const claim = { destination: "webhook:x", limit: 9, leaseMs: 60_000 }
      const claimed = yield* on(world)(Outbox.use((outbox) => outbox.claim(claim)))
      expect(claimed.map(({ event, owner: of }) => [of, event.type])).toEqual([[owner, "credits.charged"]])
      for (const delivery of claimed)
        yield* on(world)(
          Outbox.use((outbox) =>
            outbox.conclude({ destination: claim.destination, delivery, outcome: { _tag: "Delivered" } })
          )
        )
      expect(yield* on(world)(Outbox.use((outbox) => outbox.claim(claim)))).toEqual([])
      const done = yield* Deferred.make<string>()
      const handler = jobHandler(TestJob, ({ payload }) => Effect.asVoid(Deferred.succeed(done, payload.name)))
      const working = Effect.andThen(
        JobQueue.use((jobs) => jobs.work([handler])),
        Deferred.await(done)
      )
      expect(yield* on(world)(Effect.scoped(working))).toBe("queued")
    }).pipe(Effect.scoped, Effect.runPromise))

  it("erases a person with what the person left in the global database by moving away", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(1, NEVER)
      const [a] = world.cells
      const owner = newUserId()
      const erase = PersonalData.use((data) =>
        data.erase({ userId: owner, pseudonym: `erased:${crypto.randomUUID()}` })
      )
      yield* on(world)(ChatStore.use((chats) => chats.beginTurn(newTurn(owner))))
      yield* believing(world)
      yield* move(world, owner)
      expect((yield* rowsIn(a, owner)).size).toBeGreaterThan(1)
      expect(yield* on(world)(erase)).toMatchObject({ _tag: "Erased", chats: 1 })
      for (const cell of world.cells) expect([...(yield* rowsIn(cell, owner)).keys()]).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise))

  it("loses nothing that was answered, with directories of any age", () =>
    Effect.gen(function* () {
      const world = yield* openWorld(2, NEVER)
      const answered = yield* newOwners(world, 5)
      const counts = yield* operate(world, answered, 1, 300)
      expect(counts.moves).toBeGreaterThan(3)
      yield* eraseAll(world, 0)
      expect(yield* faultsOf(world, answered)).toEqual([])
    }).pipe(Effect.scoped, Effect.runPromise))
})
