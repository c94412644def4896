import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { allRows } from "../storage/allRows.ts"
import { BotStore } from "../../bots/BotStore.ts"
import {
  type NewCrmConnection,
  type StoredCrmConnection,
  CrmConnectionStore,
  SealedConnections
} from "../../crm/CrmConnectionStore.ts"
import { newBot } from "../bots/botFixtures.ts"
import { newUserId } from "../storage/storageFixtures.ts"
import { newCrmConnection } from "./crmFixtures.ts"
import { type Run, suiteOn } from "../suiteOn.ts"

type Stores = BotStore | CrmConnectionStore | SealedConnections

const LEASE_MS = 3_600_000
const CONNECTED = { state: "connected", problem: undefined } as const

/** Stores a connection of a new bot; returns the connection as the store finds it. */
const saved = Effect.fnUntraced(function* (changes: Partial<NewCrmConnection> = {}) {
  const bots = yield* BotStore
  const store = yield* CrmConnectionStore
  const bot = newBot(changes.owner ?? newUserId(), changes.botId === undefined ? {} : { id: changes.botId })
  if ((yield* bots.find({ owner: bot.owner, botId: bot.id })) === undefined) yield* bots.insert(bot, 1_000)
  const connection = newCrmConnection({ ...changes, owner: bot.owner, botId: bot.id })
  expect(yield* store.save(connection)).toBe(true)
  const found = yield* store.find(connection)
  if (found === undefined) throw new Error("the connection is not there")
  return found
})

const claim = (connection: StoredCrmConnection, lease: string = crypto.randomUUID(), leaseMs = LEASE_MS) =>
  CrmConnectionStore.use((store) =>
    store.claimRefresh({ name: connection, version: connection.version, lease, leaseMs })
  )

const keeping = (run: Run<Stores>) => {
  it("a connection comes back as it was saved, by its name and in its bot's list, and the bot's alone", () =>
    run(
      Effect.gen(function* () {
        const store = yield* CrmConnectionStore
        const one = yield* saved()
        const bare = { provider: "provider_two", expiresAt: undefined, refreshable: false, account: {} } as const
        const two = yield* saved({ owner: one.owner, botId: one.botId, ...bare })
        expect(one).toMatchObject({ ...CONNECTED, account: { id: "42", name: "Bücher & Söhne \u{1F600}" } })
        expect(two).toMatchObject({ ...CONNECTED, ...bare })
        yield* saved({ owner: one.owner })
        expect(yield* store.list(one)).toEqual([one, two])
        expect(yield* store.find({ ...one, botId: one.botId.toUpperCase() })).toEqual(one)
        expect(yield* store.find({ ...one, botId: "nonsense'" })).toBeUndefined()
      })
    ))

  it("saving again for the same bot and provider replaces the one there was, and ends a refresh of it", () =>
    run(
      Effect.gen(function* () {
        const store = yield* CrmConnectionStore
        const first = yield* saved()
        const lease = crypto.randomUUID()
        expect(yield* claim(first, lease)).toEqual({ _tag: "Claimed", tries: 1 })
        const again = yield* saved({ owner: first.owner, botId: first.botId, sealed: "v1.first.again", account: {} })
        expect(again.version).not.toBe(first.version)
        expect(yield* store.list(first)).toEqual([again])
        const ended = {
          name: first,
          lease,
          tokens: undefined,
          standing: { state: "error", problem: "client" }
        } as const
        expect(yield* store.endRefresh(ended)).toBe(false)
        expect(yield* store.find(first)).toEqual(again)
      })
    ))

  it("nothing is stored for a bot that does not exist, belongs to another person, or is deleted at the same moment", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const store = yield* CrmConnectionStore
        const owner = newUserId()
        expect(yield* store.save(newCrmConnection({ owner }))).toBe(false)
        expect(yield* store.save(newCrmConnection({ owner, botId: "nonsense'" }))).toBe(false)
        const bot = newBot(newUserId())
        yield* bots.insert(bot, 1_000)
        expect(yield* store.save(newCrmConnection({ owner, botId: bot.id }))).toBe(false)
        const name = { owner: bot.owner, botId: bot.id }
        yield* Effect.all([store.save(newCrmConnection({ owner: bot.owner, botId: bot.id })), bots.remove(name)], {
          concurrency: "unbounded"
        })
        expect(yield* store.list(name)).toEqual([])
      })
    ))

  it("a connection is deleted with its bot, and by itself; the deleted one is returned, once", () =>
    run(
      Effect.gen(function* () {
        const store = yield* CrmConnectionStore
        const one = yield* saved()
        const two = yield* saved({ owner: one.owner, botId: one.botId, provider: "provider_two" })
        const other = yield* saved({ owner: one.owner })
        const { botId, owner, provider } = one
        expect(yield* store.remove({ owner, botId, provider })).toEqual([one])
        expect(yield* store.remove({ owner, botId, provider })).toEqual([])
        expect(yield* store.remove({ owner, botId })).toEqual([two])
        expect(yield* store.remove({ owner: newUserId() })).toEqual([])
        expect(yield* store.remove({ owner })).toEqual([other])
        const gone = yield* saved({ owner })
        yield* (yield* BotStore).remove(gone)
        expect(yield* store.find(gone)).toBeUndefined()
      })
    ))
}

const refreshing = (run: Run<Stores>) => {
  it("of claims made at once one is given; the next only once it ended or ran out", () =>
    run(
      Effect.gen(function* () {
        const store = yield* CrmConnectionStore
        const connection = yield* saved()
        const leases = Array.from({ length: 10 }, () => crypto.randomUUID())
        const claims = yield* Effect.all(
          leases.map((lease) => claim(connection, lease)),
          { concurrency: "unbounded" }
        )
        expect(claims.map(({ _tag }) => _tag).toSorted()).toEqual([...Array<string>(9).fill("Busy"), "Claimed"])
        const lease = leases[claims.findIndex(({ _tag }) => _tag === "Claimed")] ?? ""
        const tokens = { sealed: "v1.second.new", keyId: "second", expiresAt: undefined, refreshable: false }
        for (const foreign of leases.filter((each) => each !== lease)) {
          expect(yield* store.endRefresh({ name: connection, lease: foreign, tokens, standing: CONNECTED })).toBe(false)
        }
        expect(yield* store.endRefresh({ name: connection, lease, tokens, standing: CONNECTED })).toBe(true)
        const refreshed = yield* current(connection)
        expect(refreshed).toEqual({ ...connection, ...tokens, version: refreshed.version })
        expect(refreshed.version).not.toBe(connection.version)
        expect(yield* claim(connection)).toEqual({ _tag: "Changed" })
        expect(yield* claim(refreshed)).toEqual({ _tag: "Claimed", tries: 1 })
      })
    ))

  it("a claim that ran out is given to the next, counted, and can end nothing any more", () =>
    run(
      Effect.gen(function* () {
        const store = yield* CrmConnectionStore
        const connection = yield* saved()
        const [dead, next] = [crypto.randomUUID(), crypto.randomUUID()]
        expect(yield* claim(connection, dead, 0)).toEqual({ _tag: "Claimed", tries: 1 })
        expect(yield* claim(connection, next, 0)).toEqual({ _tag: "Claimed", tries: 2 })
        const standing = { state: "needs_reconnect", problem: "answer_lost" } as const
        expect(yield* store.endRefresh({ name: connection, lease: dead, tokens: undefined, standing })).toBe(false)
        expect(yield* store.endRefresh({ name: connection, lease: next, tokens: undefined, standing })).toBe(true)
        const ended = yield* current(connection)
        expect(ended).toEqual({ ...connection, ...standing, version: ended.version })
        expect(yield* claim(ended)).toEqual({ _tag: "Claimed", tries: 1 })
      })
    ))
}

/** Reads the present state of the connection. */
const current = (connection: StoredCrmConnection) =>
  CrmConnectionStore.use((store) => store.find(connection)).pipe(
    Effect.map((found) => {
      if (found === undefined) throw new Error("the connection is not there")
      return found
    })
  )

const fencing = (run: Run<Stores>) => {
  it("another person's connection does not exist", () =>
    run(
      Effect.gen(function* () {
        const store = yield* CrmConnectionStore
        const mine = yield* saved()
        const foreign = { ...mine, owner: newUserId() }
        expect(yield* store.find(foreign)).toBeUndefined()
        expect(yield* store.list(foreign)).toEqual([])
        expect(yield* store.remove({ owner: foreign.owner, botId: mine.botId })).toEqual([])
        expect(yield* claim(foreign)).toEqual({ _tag: "Changed" })
        expect(yield* store.find(mine)).toEqual(mine)
      })
    ))
}

const resealing = (run: Run<Stores>) => {
  it("tokens that another key sealed are found page by page over all owners, and sealed again if they are unchanged", () =>
    run(
      Effect.gen(function* () {
        const sealed = yield* SealedConnections
        const keyId = `key-${crypto.randomUUID().slice(0, 8)}`
        const all = [yield* saved({ keyId }), yield* saved({ keyId }), yield* saved({ keyId })]
        const pages = yield* allRows((after) => sealed.list({ notBy: "first", after, limit: 1 }))
        const ids = (found: ReadonlyArray<StoredCrmConnection>) => found.map(({ botId }) => botId).toSorted()
        expect(ids(pages.filter((each) => each.keyId === keyId))).toEqual(ids(all))
        const [one, two] = all as [StoredCrmConnection, StoredCrmConnection]
        expect(yield* sealed.reseal(one, { sealed: "v1.first.new", keyId: "first" })).toBe(true)
        expect(yield* current(one)).toMatchObject({ sealed: "v1.first.new", keyId: "first", version: one.version })
        expect(yield* sealed.reseal(one, { sealed: "v1.first.other", keyId: "first" })).toBe(false)
        yield* saved({ owner: two.owner, botId: two.botId, sealed: "v1.first.replaced", keyId: "first" })
        expect(yield* sealed.reseal(two, { sealed: "v1.first.stale", keyId: "first" })).toBe(false)
        expect(yield* current(two)).toMatchObject({ sealed: "v1.first.replaced" })
        expect(yield* sealed.counts).toContainEqual({ keyId, connections: 1 })
      })
    ))
}

/**
 * Tests the guarantees of a `CrmConnectionStore`, together with the bots of the same adapter. `layer` is built once,
 * for all tests.
 */
export const crmConnectionStoreContract = (name: string, layer: Layer.Layer<Stores, unknown>): void =>
  suiteOn(`CrmConnectionStore: ${name}`, layer, (run) => {
    for (const define of [keeping, refreshing, fencing, resealing]) define(run)
  })
