import { Deferred, Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import type { Bot, BotName } from "../../bots/Bot.ts"
import { BotStore, MAX_SEEN_SITES, PublishedBots } from "../../bots/BotStore.ts"
import { DocumentStore } from "../../documents/storing/DocumentStore.ts"
import { UnitOfWork } from "../../storage/UnitOfWork.ts"
import { ampleQuota, newDocument, newUserId } from "../storage/storageFixtures.ts"
import { type Run, suiteOn } from "../suiteOn.ts"
import { newBot, newPublicKeyText, storedBot } from "./botFixtures.ts"

type Stores = BotStore | DocumentStore | PublishedBots | UnitOfWork

const AMPLE = 1_000
const nameOf = ({ id, owner }: Bot): BotName => ({ owner, botId: id })

const withDocuments = (owner: string, count: number) =>
  Effect.gen(function* () {
    const documents = yield* DocumentStore
    const added = Array.from({ length: count }, () => newDocument(owner))
    for (const document of added) yield* documents.insert(document, ampleQuota)
    return added.map(({ id }) => id)
  })

const keeping = (run: Run<Stores>) => {
  it("a bot comes back as it was inserted, by its name and by each of its keys", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const published = yield* PublishedBots
        const owner = newUserId()
        const documentIds = yield* withDocuments(owner, 3)
        const keys = [1, 2].map((day) => ({ publicKey: newPublicKeyText(), createdAt: day * 86_400_000 }))
        const bot = newBot(owner, {
          displayName: "Bücher & 'Sterne' \u{1F600}",
          instructions: 'Line one\nline two\t"quoted"',
          documentIds,
          keys,
          allowedSites: ["https://*.example.com"],
          dailyCap: 9_007_199_254_740_991,
          suggestedQuestions: ["Why?", "How?"]
        })
        expect(yield* bots.insert(bot, AMPLE)).toBe(true)
        expect(yield* bots.find(nameOf(bot))).toEqual(storedBot(bot))
        expect(yield* bots.find({ owner, botId: bot.id.toUpperCase() })).toEqual(storedBot(bot))
        for (const { publicKey } of keys) expect(yield* published.findByKey(publicKey)).toEqual(storedBot(bot))
        for (const text of ["", "pk_", newPublicKeyText(), "pk_' OR 1=1"]) {
          expect(yield* published.findByKey(text)).toBeUndefined()
        }
      })
    ))

  it("concurrent insertions cannot exceed the maximum together, and a refused one is not stored", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const owner = newUserId()
        const all = Array.from({ length: 16 }, () => newBot(owner))
        const inserted = yield* Effect.all(
          all.map((bot) => bots.insert(bot, 5)),
          { concurrency: "unbounded" }
        )
        expect(inserted.filter((done) => done)).toHaveLength(5)
        const listed = (yield* bots.list(owner)).map(({ id }) => id)
        expect(new Set(listed)).toEqual(new Set(all.filter((_, index) => inserted[index]).map(({ id }) => id)))
      })
    ))

  it("a change replaces the named settings, leaves the others and the keys, and reports if the bot exists", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const owner = newUserId()
        const [first = "", second = ""] = yield* withDocuments(owner, 2)
        const bot = newBot(owner, { documentIds: [first, second], instructions: "Be brief." })
        yield* bots.insert(bot, AMPLE)
        const later = bot.updatedAt + 1_000
        expect(yield* bots.update(nameOf(bot), { displayName: "Ada", active: false }, later)).toBe(true)
        const renamed = { ...bot, displayName: "Ada", active: false, updatedAt: later }
        expect(yield* bots.find(nameOf(bot))).toEqual(storedBot(renamed))
        expect(yield* bots.update(nameOf(bot), { documentIds: [second], dailyCap: 7 }, later)).toBe(true)
        expect(yield* bots.find(nameOf(bot))).toEqual(storedBot({ ...renamed, documentIds: [second], dailyCap: 7 }))
        expect(yield* bots.update({ owner, botId: crypto.randomUUID() }, { active: false }, later)).toBe(false)
        expect(yield* bots.update({ owner, botId: "nonsense'" }, { active: false }, later)).toBe(false)
      })
    ))

  it("a list is the owner's alone, newest first", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const owner = newUserId()
        const ages = [3, 1, 2].map((days) => newBot(owner, { createdAt: 1_767_225_600_000 - days * 86_400_000 }))
        for (const bot of [...ages, newBot(newUserId())]) yield* bots.insert(bot, AMPLE)
        expect((yield* bots.list(owner)).map(({ id }) => id)).toEqual([ages[1]?.id, ages[2]?.id, ages[0]?.id])
      })
    ))
}

const knowing = (run: Run<Stores>) => {
  it("a bot has documents of its owner alone, in the given order; a deleted document is no longer among them", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const documents = yield* DocumentStore
        const [owner, other] = [newUserId(), newUserId()]
        const [a = "", b = "", c = ""] = yield* withDocuments(owner, 3)
        const [foreign = ""] = yield* withDocuments(other, 1)
        const nobodys = crypto.randomUUID()
        const bot = newBot(owner, { documentIds: [c, foreign, a, nobodys, b] })
        yield* bots.insert(bot, AMPLE)
        const idsOf = Effect.map(bots.find(nameOf(bot)), (found) => found?.settings)
        expect(yield* idsOf).toMatchObject({ documentIds: [c, a, b] })
        yield* documents.remove(owner, a)
        expect(yield* idsOf).toMatchObject({ documentIds: [c, b] })
        yield* bots.update(nameOf(bot), { documentIds: [foreign, b, a, nobodys] }, bot.updatedAt)
        expect(yield* idsOf).toMatchObject({ documentIds: [b] })
      })
    ))
}

const rotating = (run: Run<Stores>) => {
  it("an added key works beside the others, and a retired one names nothing", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const published = yield* PublishedBots
        const bot = newBot(newUserId())
        yield* bots.insert(bot, AMPLE)
        const old = bot.keys[0]?.publicKey ?? ""
        const key = { publicKey: newPublicKeyText(), createdAt: bot.createdAt + 5 }
        expect(yield* bots.addKey(nameOf(bot), key, 2)).toBe("Added")
        for (const each of [old, key.publicKey]) expect((yield* published.findByKey(each))?.id).toBe(bot.id)
        expect(yield* bots.addKey(nameOf(bot), { ...key, publicKey: newPublicKeyText() }, 2)).toBe("Full")
        expect(yield* bots.retireKey(nameOf(bot), old)).toBe("Retired")
        expect(yield* published.findByKey(old)).toBeUndefined()
        expect(yield* bots.find(nameOf(bot))).toMatchObject({ keys: [key] })
        expect(yield* bots.retireKey(nameOf(bot), old)).toBe("NoKey")
        expect(yield* bots.retireKey(nameOf(bot), key.publicKey)).toBe("Last")
        expect((yield* published.findByKey(key.publicKey))?.id).toBe(bot.id)
      })
    ))

  it("keys retired at the same moment leave one, and keys added at the same moment do not exceed the most", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const keys = [1, 2, 3, 4].map((at) => ({ publicKey: newPublicKeyText(), createdAt: at }))
        const bot = newBot(newUserId(), { keys })
        yield* bots.insert(bot, AMPLE)
        const retired = yield* Effect.all(
          keys.map(({ publicKey }) => bots.retireKey(nameOf(bot), publicKey)),
          { concurrency: "unbounded" }
        )
        expect(retired.toSorted()).toEqual(["Last", "Retired", "Retired", "Retired"])
        const added = yield* Effect.all(
          keys.map(({ createdAt }) => bots.addKey(nameOf(bot), { publicKey: newPublicKeyText(), createdAt }, 3)),
          { concurrency: "unbounded" }
        )
        expect(added.toSorted()).toEqual(["Added", "Added", "Full", "Full"])
        expect((yield* bots.find(nameOf(bot)))?.keys).toHaveLength(3)
      })
    ))
}

const fencing = (run: Run<Stores>) => {
  it("another person's bot does not exist, for every question and every change", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const bot = newBot(newUserId())
        yield* bots.insert(bot, AMPLE)
        const [{ publicKey } = { publicKey: "" }] = bot.keys
        const foreign = { owner: newUserId(), botId: bot.id }
        expect(yield* bots.find(foreign)).toBeUndefined()
        expect(yield* bots.list(foreign.owner)).toEqual([])
        expect(yield* bots.update(foreign, { active: false }, 1)).toBe(false)
        expect(yield* bots.addKey(foreign, { publicKey: newPublicKeyText(), createdAt: 1 }, AMPLE)).toBe("NoBot")
        expect(yield* bots.retireKey(foreign, publicKey)).toBe("NoBot")
        expect(yield* bots.remove(foreign)).toBe(false)
        expect(yield* bots.find(nameOf(bot))).toEqual(storedBot(bot))
      })
    ))

  it("bots of one id under two owners are two bots", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const published = yield* PublishedBots
        const mine = newBot(newUserId())
        const yours = newBot(newUserId(), { id: mine.id, displayName: "Other" })
        for (const bot of [mine, yours]) yield* bots.insert(bot, AMPLE)
        yield* bots.update(nameOf(mine), { active: false }, mine.updatedAt)
        expect(yield* bots.remove(nameOf(mine))).toBe(true)
        expect(yield* bots.find(nameOf(yours))).toEqual(storedBot(yours))
        expect((yield* published.findByKey(yours.keys[0]?.publicKey ?? ""))?.owner).toBe(yours.owner)
      })
    ))

  it("deleting a bot deletes its keys; it is deleted once", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const published = yield* PublishedBots
        const owner = newUserId()
        const bot = newBot(owner, { documentIds: yield* withDocuments(owner, 1) })
        yield* bots.insert(bot, AMPLE)
        expect(yield* bots.remove(nameOf(bot))).toBe(true)
        expect(yield* bots.find(nameOf(bot))).toBeUndefined()
        expect(yield* published.findByKey(bot.keys[0]?.publicKey ?? "")).toBeUndefined()
        expect(yield* bots.remove(nameOf(bot))).toBe(false)
        expect(yield* (yield* DocumentStore).find(owner, bot.documentIds)).toHaveLength(1)
      })
    ))
}

const holding = (run: Run<Stores>) => {
  it("a bot that a unit of work holds is deleted after the unit; a unit that comes later does not find it", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const published = yield* PublishedBots
        const unitOfWork = yield* UnitOfWork
        const bot = newBot(newUserId())
        const publicKey = bot.keys[0]?.publicKey ?? ""
        yield* bots.insert(bot, AMPLE)
        const held = yield* Deferred.make<void>()
        const ended: Array<string> = []
        const note = (name: string) => Effect.sync(() => void ended.push(name))
        const holding = Effect.gen(function* () {
          const found = yield* published.findByKey(publicKey, "held")
          yield* Deferred.succeed(held, undefined)
          // These reads give the deletion enough time to end before them, if nothing held the bot.
          yield* Effect.repeat(bots.find(nameOf(bot)), { times: 50 })
          yield* note("unit")
          return found
        })
        const removing = Deferred.await(held).pipe(
          Effect.andThen(bots.remove(nameOf(bot))),
          Effect.tap(note("deletion"))
        )
        const both = [unitOfWork.run(bot.owner, holding), removing] as const
        const [found, isRemoved] = yield* Effect.all(both, { concurrency: "unbounded" })
        expect([found, isRemoved, ended]).toEqual([storedBot(bot), true, ["unit", "deletion"]])
        expect(yield* unitOfWork.run(bot.owner, published.findByKey(publicKey, "held"))).toBeUndefined()
      })
    ))
}

const seeing = (run: Run<Stores>) => {
  it("keeps a site once, the last one seen first, with whether it was allowed", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const published = yield* PublishedBots
        const bot = newBot(newUserId())
        yield* bots.insert(bot, AMPLE)
        const note = (site: string, isAllowed: boolean) => published.noteSite(nameOf(bot), { site, isAllowed })
        const seen = Effect.map(published.sites(nameOf(bot)), (sites) =>
          sites.map(({ isAllowed, site }) => [site, isAllowed])
        )
        expect(yield* seen).toEqual([])
        yield* note("https://one.example", true)
        yield* note("https://two.example:8443", false)
        yield* note("https://one.example", true)
        expect(new Map((yield* seen) as Array<[string, boolean]>)).toEqual(
          new Map([
            ["https://one.example", true],
            ["https://two.example:8443", false]
          ])
        )
        yield* note("https://two.example:8443", true)
        expect(yield* seen).toContainEqual(["https://two.example:8443", true])
        const [{ seenAt } = { seenAt: 0 }] = yield* published.sites(nameOf(bot))
        expect(seenAt).toEqual(expect.any(Number))
      })
    ))

  it("keeps a bounded number of sites, and forged ones take no room from those that are allowed", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const published = yield* PublishedBots
        const bot = newBot(newUserId())
        yield* bots.insert(bot, AMPLE)
        yield* published.noteSite(nameOf(bot), { site: "https://own.example", isAllowed: true })
        for (let index = 0; index < MAX_SEEN_SITES + 3; index += 1) {
          yield* published.noteSite(nameOf(bot), { site: `https://s${index}.example`, isAllowed: false })
        }
        const sites = yield* published.sites(nameOf(bot))
        expect(sites.filter(({ isAllowed }) => !isAllowed)).toHaveLength(MAX_SEEN_SITES)
        expect(sites.map(({ site }) => site)).toEqual(
          expect.arrayContaining(["https://own.example", `https://s${MAX_SEEN_SITES + 2}.example`])
        )
      })
    ))

  it("keeps no site of a bot that is gone or of another owner, and deletes those of a deleted bot", () =>
    run(
      Effect.gen(function* () {
        const bots = yield* BotStore
        const published = yield* PublishedBots
        const bot = newBot(newUserId())
        yield* bots.insert(bot, AMPLE)
        const seen = { site: "https://one.example", isAllowed: true }
        const foreign = { owner: newUserId(), botId: bot.id }
        for (const name of [foreign, { owner: bot.owner, botId: crypto.randomUUID() }, { ...foreign, botId: "x'" }]) {
          yield* published.noteSite(name, seen)
          expect(yield* published.sites(name)).toEqual([])
        }
        yield* published.noteSite(nameOf(bot), seen)
        expect(yield* published.sites(foreign)).toEqual([])
        yield* bots.remove(nameOf(bot))
        expect(yield* published.sites(nameOf(bot))).toEqual([])
        yield* bots.insert(bot, AMPLE)
        expect(yield* published.sites(nameOf(bot))).toEqual([])
      })
    ))
}

/**
 * Tests the guarantees of a `BotStore`, together with the documents and units of work of the same adapter. `layer` is
 * built once, for all tests.
 */
export const botStoreContract = (name: string, layer: Layer.Layer<Stores, unknown>): void =>
  suiteOn(`BotStore contract: ${name}`, layer, (run) => {
    for (const define of [keeping, knowing, rotating, fencing, holding, seeing]) define(run)
  })
