/** The people of a cell that is split, by what they own: each lives in one of the two cells, with all rows. */
import {
  AccessStore,
  BotStore,
  ChatStore,
  DocumentStore,
  Handovers,
  ImageStore,
  JobQueue,
  OAuthStateStore,
  Outbox,
  PersonalData,
  PreferenceStore,
  ProjectStore
} from "@parley/core/adapter"
import { ampleQuota, newBot, newDocument, newTurn, newUserId, newVisitor, TestJob } from "@parley/core/testing"
import { Deferred, Effect, Fiber } from "effect"
import { describe, expect, it } from "vitest"
import { eraseMoved } from "../../src/cells/moving/eraseMoved.ts"
import { ownedDigests, ownerTables } from "../../src/cells/moving/ownerTables.ts"
import { splitCell } from "../../src/cells/splitting/splitCell.ts"
import { hasPostgres } from "../databases.ts"
import { openCopiedWorld } from "./copiedWorld.ts"
import type { Stores } from "./movingOwners.ts"
import { isUpper, type SplitWorld } from "./splitWorld.ts"

const image = { mediaType: "image/png", width: 1, height: 1, bytes: new Uint8Array([1]) } as const

/** First rows of a person who has nothing else. */
const FIRST_ROWS = {
  bot: (owner: string) => BotStore.use((bots) => bots.insert(newBot(owner), 10)),
  chat: (owner: string) => ChatStore.use((chats) => chats.beginTurn(newTurn(owner))),
  document: (owner: string) => DocumentStore.use((documents) => documents.insert(newDocument(owner), ampleQuota)),
  delivery: (owner: string) =>
    Outbox.use((outbox) =>
      outbox.publish({
        type: "security",
        at: Date.now(),
        data: { event: "erased", userId: owner, outcome: "ok" }
      } as never)
    ),
  image: (owner: string) => ImageStore.use((images) => images.add(owner, { id: crypto.randomUUID(), ...image })),
  job: (owner: string) => JobQueue.use((jobs) => jobs.enqueue(owner, TestJob, { name: "one" })),
  "conversation of a visitor": (owner: string) =>
    Handovers.use((handovers) =>
      handovers.ask({
        continues: false,
        email: undefined,
        page: undefined,
        language: "en",
        owner: newVisitor(owner),
        chatId: crypto.randomUUID()
      })
    ),
  preferences: (owner: string) =>
    PreferenceStore.use((preferences) => preferences.set(owner, { instructions: "", modelId: null })),
  project: (owner: string) =>
    ProjectStore.use((projects) =>
      projects.create(owner, { id: crypto.randomUUID(), name: "Tea", instructions: "", documentIds: [] }, 1)
    ),
  "state of a request": (owner: string) =>
    OAuthStateStore.use((states) => states.spend({ owner, digest: "ab".repeat(32), expiresAt: Date.now() + 600_000 }))
} as const

const newOwnerIn = (upper: boolean): string => {
  for (;;) {
    const owner = newUserId()
    if (isUpper(owner) === upper) return owner
  }
}

const rowsIn = (world: SplitWorld, owner: string) =>
  Effect.forEach(world.cells, ({ database, owner: tables }) =>
    tables.asOwner((sql) =>
      Effect.gen(function* () {
        const found = yield* ownerTables(sql, database.schema, tables.schemaName)
        return [...(yield* ownedDigests(sql, found, owner)).keys()]
      })
    )
  )

describe.runIf(hasPostgres)("a cell that is split", { timeout: 120_000 }, () => {
  it("gives each person one cell, also those who have a single row of any kind", () =>
    Effect.gen(function* () {
      const world = yield* openCopiedWorld(1)
      const stores = world.servers[0]?.routed as Stores
      yield* Effect.provide(
        Outbox.use((outbox) =>
          outbox.subscribe({ destinations: [{ id: "hook:x", types: ["security"] }], lowBelow: undefined })
        ),
        stores
      )
      const owners = new Map<string, string>()
      for (const [kind, write] of Object.entries(FIRST_ROWS))
        for (const upper of [true, false]) {
          const owner = newOwnerIn(upper)
          yield* Effect.provide(write(owner) as Effect.Effect<unknown, unknown, never>, stores)
          owners.set(owner, `${kind} ${upper ? "b" : "a"}`)
        }
      yield* splitCell(world.split)
      for (const cell of world.cells) yield* eraseMoved(cell, 0)
      const places: Array<string> = []
      for (const [owner, kind] of owners) {
        const rows = yield* rowsIn(world, owner)
        places.push(`${kind.slice(0, -2)} ${rows.map((tables, at) => (tables.length > 0 ? "ab"[at] : "")).join("")}`)
      }
      expect(places).toEqual([...owners.values()])
    }).pipe(Effect.scoped, Effect.runPromise))

  it("takes along the only person, whose first row a transaction writes while the people are marked", () =>
    Effect.gen(function* () {
      const world = yield* openCopiedWorld(1)
      const [{ database }] = world.cells
      const { schema } = database
      const stores = world.servers[0]?.routed as Stores
      const owner = newOwnerIn(true)
      const isMarked = Effect.map(
        database.statement(`SELECT FROM ${schema}.lost_buckets LIMIT 1`),
        ({ length }) => length > 0
      )
      const [begin, written, go] = [
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>(),
        yield* Deferred.make<void>()
      ]
      yield* Effect.addFinalizer(() => Deferred.succeed(go, undefined))
      const writing = yield* Effect.forkChild(
        Effect.andThen(
          Deferred.await(begin),
          database.asService((sql) =>
            Effect.gen(function* () {
              yield* sql.query(`INSERT INTO ${schema}.preferences (user_id, instructions) VALUES ($1, 'first')`, [
                owner
              ])
              yield* Deferred.succeed(written, undefined)
              yield* Deferred.await(go)
            })
          )
        )
      )
      // The first transaction after the note in the directory makes the first marks.
      let isNoted = false
      const writes = Effect.suspend(() =>
        isNoted ? Effect.andThen(Deferred.succeed(begin, undefined), Deferred.await(written)) : Effect.void
      )
      const { source } = world.split
      const asOwner: typeof source.owner.asOwner = (work) => Effect.andThen(writes, source.owner.asOwner(work))
      const splitting = yield* Effect.forkChild(
        splitCell({
          ...world.split,
          source: { ...source, owner: { ...source.owner, asOwner } },
          onStep: (step) => Effect.sync(() => void (isNoted ||= step === "noted"))
        })
      )
      yield* Effect.repeat(isMarked, { until: (marked) => marked })
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(writing)
      yield* Fiber.join(splitting)
      for (const cell of world.cells) yield* eraseMoved(cell, 0)
      expect(yield* rowsIn(world, owner)).toEqual([[], ["preferences"]])
      const change = PreferenceStore.use((store) => store.set(owner, { instructions: "second", modelId: null }))
      yield* Effect.provide(change, stores)
      const found = yield* Effect.provide(
        PreferenceStore.use((store) => store.get(owner)),
        stores
      )
      expect(found).toMatchObject({ instructions: "second" })
    }).pipe(Effect.scoped, Effect.runPromise))

  it("accepts the first rows of a person who stays because a move was refused", () =>
    Effect.gen(function* () {
      const world = yield* openCopiedWorld(1)
      const owner = newOwnerIn(true)
      // A move begins by placing its person, and is then cancelled.
      yield* world.directory.replace(owner, 0, "a")
      yield* splitCell(world.split)
      const stores = world.servers[0]?.routed as Stores
      const write = FIRST_ROWS.project(owner) as Effect.Effect<unknown, unknown, never>
      yield* Effect.provide(write, stores)
      expect(yield* rowsIn(world, owner)).toEqual([["projects"], []])
    }).pipe(Effect.scoped, Effect.runPromise))

  it("lists blocked people once, and none who was unblocked, if they have nothing but the block", () =>
    Effect.gen(function* () {
      const world = yield* openCopiedWorld(1)
      const stores = world.servers[0]?.routed as Stores
      const [lower, other, upper] = [newOwnerIn(false), newOwnerIn(false), newOwnerIn(true)]
      const change = (userId: string, to: "block" | "unblock") =>
        Effect.provide(
          AccessStore.use((access) => access.change({ userId, change: to })),
          stores
        )
      for (const owner of [lower, other, upper]) yield* change(owner, "block")
      yield* splitCell(world.split)
      yield* change(other, "unblock")
      yield* world.servers[0]?.directory.refresh ?? Effect.void
      const listed = PersonalData.use((data) =>
        data.list({ limit: 50, after: undefined, search: undefined, blocked: true })
      )
      const page = yield* Effect.provide(listed, stores)
      expect(page.rows.map(({ userId }) => userId).toSorted()).toEqual([lower, upper].toSorted())
    }).pipe(Effect.scoped, Effect.runPromise))
})
