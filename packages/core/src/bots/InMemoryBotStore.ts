import { Clock, Context, Effect, Layer } from "effect"
import { DocumentStore } from "../documents/storing/DocumentStore.ts"
import { InMemoryDocumentStore } from "../documents/storing/InMemoryDocumentStore.ts"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import type { Bot, BotName } from "./Bot.ts"
import { BotStore, MAX_SEEN_SITES, PublishedBots, type SeenSite, type StoredBot } from "./BotStore.ts"

const stored = ({ createdAt, id, keys, owner, updatedAt, ...settings }: Bot): StoredBot => ({
  id,
  owner,
  keys,
  createdAt,
  updatedAt,
  settings
})

const keyOf = ({ botId, owner }: BotName): string => `${botId.toLowerCase()} ${owner}`

/** Later insertions come later in a map, so the reversed list has the newest bot of one millisecond first. */
const newestFirst = (bots: ReadonlyArray<Bot>): ReadonlyArray<Bot> =>
  bots.toReversed().toSorted((a, b) => b.createdAt - a.createdAt)

/** Makes the table of bots, which both ports share. */
const makeTable = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const bots = yield* storage.table<string, Bot>()
  /** The sites by the key of the bot, the site seen last first. */
  const sites = yield* storage.table<string, ReadonlyArray<SeenSite>>()
  const remove = (name: BotName) => {
    sites.delete(keyOf(name))
    return bots.delete(keyOf(name))
  }
  const ownedBy = (owner: string) => [...bots.values()].filter((bot) => bot.owner === owner)

  yield* storage.addPersonalPart({
    count: (userId) => ({ bots: ownedBy(userId).length }),
    erase: (userId) => {
      for (const { id } of ownedBy(userId)) remove({ owner: userId, botId: id })
    }
  })
  yield* storage.onDocumentRemoved(({ documentId, userId }) => {
    for (const bot of ownedBy(userId)) {
      if (!bot.documentIds.includes(documentId)) continue
      const documentIds = bot.documentIds.filter((id) => id !== documentId)
      bots.set(keyOf({ owner: userId, botId: bot.id }), { ...bot, documentIds })
    }
  })
  return { storage, bots, ownedBy, remove, sites }
})

type Table = Effect.Success<typeof makeTable>

const makeStore = Effect.fnUntraced(function* ({ bots, ownedBy, remove, storage }: Table) {
  const documents = yield* DocumentStore

  /** Returns the named documents that belong to the owner. */
  const theirs = Effect.fnUntraced(function* (owner: string, documentIds: ReadonlyArray<string>) {
    const own = (yield* documents.find(owner, documentIds)).filter(({ conversation }) => conversation === undefined)
    const found = new Set(own.map(({ id }) => id))
    return documentIds.filter((id) => found.has(id))
  })

  /** Reads or changes a bot; no other call runs at the same time. */
  const withBot = <A>(name: BotName, absent: A, change: (bot: Bot, replace: (bot: Bot) => void) => A) =>
    storage.exclusive(
      Effect.sync(() => {
        const key = keyOf(name)
        const bot = bots.get(key)
        return bot === undefined ? absent : change(bot, (changed) => void bots.set(key, changed))
      })
    )

  return BotStore.of({
    insert: (bot, most) =>
      Effect.flatMap(theirs(bot.owner, bot.documentIds), (documentIds) =>
        storage.exclusive(
          Effect.sync(() => {
            if (ownedBy(bot.owner).length >= most) return false
            bots.set(keyOf({ owner: bot.owner, botId: bot.id }), { ...bot, documentIds })
            return true
          })
        )
      ),
    update: (name, change, updatedAt) =>
      Effect.flatMap(theirs(name.owner, change.documentIds ?? []), (documentIds) =>
        withBot(name, false, (bot, replace) => {
          const named = change.documentIds === undefined ? {} : { documentIds }
          replace({ ...bot, ...change, ...named, updatedAt })
          return true
        })
      ),
    find: (name) => withBot<StoredBot | undefined>(name, undefined, stored),
    list: (owner) => storage.exclusive(Effect.sync(() => newestFirst(ownedBy(owner)).map(stored))),
    remove: (name) => storage.exclusive(Effect.sync(() => remove(name))),
    addKey: (name, key, most) =>
      withBot(name, "NoBot" as const, (bot, replace) => {
        if (bot.keys.length >= most) return "Full"
        replace({ ...bot, keys: [...bot.keys, key] })
        return "Added"
      }),
    retireKey: (name, publicKey) =>
      withBot(name, "NoBot" as const, (bot, replace) => {
        const keys = bot.keys.filter((key) => key.publicKey !== publicKey)
        if (keys.length === bot.keys.length) return "NoKey"
        if (keys.length === 0) return "Last"
        replace({ ...bot, keys })
        return "Retired"
      })
  })
})

const makePublished = ({ bots, sites, storage }: Table) =>
  PublishedBots.of({
    findByKey: (publicKey) =>
      storage.exclusive(
        Effect.sync(() => {
          const found = [...bots.values()].find(({ keys }) => keys.some((key) => key.publicKey === publicKey))
          return found && stored(found)
        })
      ),
    noteSite: (name, { isAllowed, site }) =>
      storage.exclusive(
        Effect.map(Clock.currentTimeMillis, (seenAt) => {
          const key = keyOf(name)
          if (!bots.has(key)) return
          const others = (sites.get(key) ?? []).filter((each) => each.site !== site)
          const kept = others.filter((each) => each.isAllowed === isAllowed).slice(0, MAX_SEEN_SITES - 1)
          const both = others.filter((each) => each.isAllowed !== isAllowed || kept.includes(each))
          sites.set(key, [{ site, isAllowed, seenAt }, ...both])
        })
      ),
    sites: (name) => storage.exclusive(Effect.sync(() => sites.get(keyOf(name)) ?? []))
  })

const make = Effect.gen(function* () {
  const table = yield* makeTable
  return Context.make(BotStore, yield* makeStore(table)).pipe(Context.add(PublishedBots, makePublished(table)))
})

/** Bots in the memory of one process, for tests and for trying Parley out without a database. */
export const InMemoryBotStore = {
  layer: Layer.effectContext(make).pipe(
    Layer.provide(InMemoryDocumentStore.layer),
    Layer.provide(InMemoryStorage.layer)
  )
}
