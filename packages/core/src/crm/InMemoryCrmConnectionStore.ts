import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { BotName } from "../bots/Bot.ts"
import { BotStore } from "../bots/BotStore.ts"
import { InMemoryBotStore } from "../bots/InMemoryBotStore.ts"
import { cursorOf, pageOf, positionIn } from "../storage/Cursor.ts"
import { InMemoryStorage } from "../storage/InMemoryStorage.ts"
import {
  type CrmConnectionName,
  type StoredCrmConnection,
  CrmConnectionStore,
  type CrmConnectionsOf,
  SealedConnections
} from "./CrmConnectionStore.ts"

/** The newest claim of a refresh. */
interface Claim {
  readonly lease: string
  readonly until: number
}

interface Entry {
  readonly connection: StoredCrmConnection
  readonly claim: Claim | undefined
  readonly tries: number
}

const keyOf = ({ botId, owner, provider }: CrmConnectionName): string =>
  JSON.stringify([owner, botId.toLowerCase(), provider])

const isOf =
  ({ botId, owner, provider }: CrmConnectionsOf) =>
  ({ connection }: Entry): boolean =>
    connection.owner === owner &&
    (botId === undefined || connection.botId === botId.toLowerCase()) &&
    (provider === undefined || connection.provider === provider)

const byProvider = (entries: ReadonlyArray<Entry>): ReadonlyArray<StoredCrmConnection> =>
  entries.map(({ connection }) => connection).toSorted((a, b) => (a.provider < b.provider ? -1 : 1))

/** Makes the table of connections, which both ports share. */
const makeEntries = Effect.gen(function* () {
  const storage = yield* InMemoryStorage
  const entries = yield* storage.table<string, Entry>()
  const chosen = (which: CrmConnectionsOf) => [...entries.values()].filter(isOf(which))
  const remove = (which: CrmConnectionsOf) => {
    const removed = chosen(which).map(({ connection }) => connection)
    for (const connection of removed) entries.delete(keyOf(connection))
    return removed
  }
  yield* storage.addPersonalPart({
    count: (owner) => ({ connections: chosen({ owner }).length }),
    erase: (owner) => void remove({ owner })
  })
  return { storage, entries, chosen, remove }
})

type Entries = Effect.Success<typeof makeEntries>

/**
 * Runs work on a bot's connections; no other call runs at the same time. A bot's connections are removed with the bot.
 */
const makeWithBot = ({ remove, storage }: Entries) =>
  Effect.map(
    BotStore,
    (bots) =>
      <A, E, R>({ botId, owner }: BotName, absent: A, work: Effect.Effect<A, E, R>) =>
        storage.run(
          Effect.gen(function* () {
            if ((yield* bots.find({ botId, owner })) !== undefined) return yield* work
            remove({ botId, owner })
            return absent
          })
        )
  )

const makeStore = Effect.fnUntraced(function* (all: Entries) {
  const { chosen, entries, remove, storage } = all
  const withBot = yield* makeWithBot(all)
  let version = 0

  return CrmConnectionStore.of({
    save: (connection) =>
      withBot(
        connection,
        false,
        Effect.sync(() => {
          version += 1
          const botId = connection.botId.toLowerCase()
          const stored = { ...connection, botId, state: "connected", problem: undefined, version } as const
          entries.set(keyOf(connection), { connection: stored, claim: undefined, tries: 0 })
          return true
        })
      ),
    find: (name) =>
      withBot(
        name,
        undefined,
        Effect.sync(() => entries.get(keyOf(name))?.connection)
      ),
    list: (bot) =>
      withBot(
        bot,
        [],
        Effect.sync(() => byProvider(chosen({ owner: bot.owner, botId: bot.botId })))
      ),
    remove: (which) => storage.exclusive(Effect.sync(() => remove(which))),
    claimRefresh: ({ lease, leaseMs, name, version: expected }) =>
      withBot(
        name,
        { _tag: "Changed" } as const,
        Effect.map(Clock.currentTimeMillis, (now) => {
          const entry = entries.get(keyOf(name))
          if (entry?.connection.version !== expected) return { _tag: "Changed" } as const
          if (entry.claim !== undefined && entry.claim.until > now) return { _tag: "Busy" } as const
          const tries = entry.tries + 1
          entries.set(keyOf(name), { ...entry, claim: { lease, until: now + leaseMs }, tries })
          return { _tag: "Claimed", tries } as const
        })
      ),
    endRefresh: ({ lease, name, standing, tokens }) =>
      withBot(
        name,
        false,
        Effect.sync(() => {
          const entry = entries.get(keyOf(name))
          if (entry?.claim?.lease !== lease) return false
          version += 1
          const connection = { ...entry.connection, ...tokens, ...standing, version }
          entries.set(keyOf(name), { connection, claim: undefined, tries: 0 })
          return true
        })
      )
  })
})

/** The position in a list: the key of an entry. */
const KeyPosition = Schema.Tuple([Schema.String])

const makeSealed = ({ entries, storage }: Entries) => {
  const sorted = () =>
    [...entries]
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([key, { connection }]) => ({ key, connection }))
  return SealedConnections.of({
    list: ({ after, limit, notBy }) =>
      storage.exclusive(
        Effect.sync(() => {
          const [last = ""] = positionIn(KeyPosition, after) ?? []
          const found = sorted().filter(({ connection, key }) => connection.keyId !== notBy && key > last)
          const { next, rows } = pageOf(found, limit, ({ key }) => cursorOf(key))
          return { rows: rows.map(({ connection }) => connection), next }
        })
      ),
    reseal: (connection, sealed) =>
      storage.exclusive(
        Effect.sync(() => {
          const entry = entries.get(keyOf(connection))
          if (entry?.connection.sealed !== connection.sealed) return false
          entries.set(keyOf(connection), { ...entry, connection: { ...entry.connection, ...sealed } })
          return true
        })
      ),
    counts: storage.exclusive(
      Effect.sync(() => {
        const counts = new Map<string, number>()
        for (const { connection } of entries.values()) {
          counts.set(connection.keyId, (counts.get(connection.keyId) ?? 0) + 1)
        }
        return [...counts].map(([keyId, connections]) => ({ keyId, connections }))
      })
    )
  })
}

const make = Effect.gen(function* () {
  const entries = yield* makeEntries
  return Context.make(CrmConnectionStore, yield* makeStore(entries)).pipe(
    Context.add(SealedConnections, makeSealed(entries))
  )
})

/** Connections in the memory of one process. */
export const InMemoryCrmConnectionStore = {
  layer: Layer.effectContext(make).pipe(Layer.provide(InMemoryBotStore.layer), Layer.provide(InMemoryStorage.layer))
}
