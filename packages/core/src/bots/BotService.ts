import { Clock, Context, Effect, Layer, Schema } from "effect"
import { ChatRecords } from "../chat/store/ChatStore.ts"
import { makeRemoveFiles } from "../chat/store/ConversationFiles.ts"
import { DocumentStore } from "../documents/storing/DocumentStore.ts"
import { findReadableDocuments } from "../documents/searching/findReadableDocuments.ts"
import type { DocumentForbidden, DocumentNotFound } from "../documents/errors.ts"
import { UserId } from "../identity/UserId.ts"
import { Id, inputsOf } from "../storage/inputs.ts"
import { IdGenerator } from "../storage/storedForms.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { UnitOfWork } from "../storage/UnitOfWork.ts"
import { Catalog } from "../tiers/Catalog.ts"
import { findModel } from "../tiers/CatalogData.ts"
import { type Bot, type BotName, BotSettings } from "./Bot.ts"
import { LATER_DEFAULTS } from "./botFields.ts"
import { BotFarewell } from "./BotFarewell.ts"
import { BOT_FIELDS, type BotChange, type BotDraft, decodeBotChange, decodeBotDraft } from "./BotDraft.ts"
import { BotStore, PublishedBots, type StoredBot } from "./BotStore.ts"
import {
  BotKeyNotFound,
  BotMisconfigured,
  BotNotFound,
  InvalidBot,
  LastBotKey,
  TooManyBotKeys,
  TooManyBots
} from "./errors.ts"
import { isPublicKey, newPublicKey } from "./publicKey.ts"

/** The maximum number of bots of a person; `MAX_BOT_KEYS` is that of public keys of a bot. */
export const MAX_BOTS = 100
export const MAX_BOT_KEYS = 10

/** The failures of a call that reads one's own bot. */
export type BotUnreadable = BotNotFound | BotMisconfigured | StorageFailed
/** The failures of a call with invalid settings. */
export type BotRefused = InvalidBot | DocumentNotFound | DocumentForbidden

/** The operations of owners on their bots. */
export class BotService extends Context.Service<
  BotService,
  {
    /** Creates a bot with its first public key. The bot is active at once unless the draft says otherwise. */
    create(owner: UserId, draft: BotDraft): Effect.Effect<Bot, BotRefused | TooManyBots | StorageFailed>
    /** Changes the named settings, and leaves the others unchanged; `active` turns the bot on and off. */
    update(owner: UserId, botId: string, change: BotChange): Effect.Effect<Bot, BotRefused | BotUnreadable>
    get(owner: UserId, botId: string): Effect.Effect<Bot, BotUnreadable>
    /** Newest first. */
    list(owner: UserId): Effect.Effect<ReadonlyArray<Bot>, BotMisconfigured | StorageFailed>
    /** Deletes a bot with its keys, the conversations of its visitors, and its connections to CRMs. */
    remove(owner: UserId, botId: string): Effect.Effect<void, BotNotFound | StorageFailed>
    /** Adds a public key to the bot's existing ones. */
    addKey(owner: UserId, botId: string): Effect.Effect<Bot, TooManyBotKeys | BotUnreadable>
    /** Retires a public key, which then no longer leads to the bot. The last key of a bot cannot be retired. */
    retireKey(
      owner: UserId,
      botId: string,
      publicKey: string
    ): Effect.Effect<Bot, BotKeyNotFound | LastBotKey | BotUnreadable>
  }
>()("@parley/core/bots/BotService") {
  static readonly inputs = inputsOf<BotService["Service"]>()({
    create: [{ owner: UserId }, { draft: BOT_FIELDS }],
    update: [{ owner: UserId }, { botId: Id }, { change: BOT_FIELDS }],
    get: [{ owner: UserId }, { botId: Id }],
    list: [{ owner: UserId }],
    remove: [{ owner: UserId }, { botId: Id }],
    addKey: [{ owner: UserId }, { botId: Id }],
    retireKey: [{ owner: UserId }, { botId: Id }, { publicKey: Id }]
  })
  static readonly layer = Layer.effect(
    BotService,
    Effect.suspend(() => make)
  )
}

const decodeSettings = Schema.decodeUnknownEffect(BotSettings)

/**
 * Checks stored settings as strictly as requests: a bot whose row was changed by hand neither answers nor styles a
 * page. Settings that earlier releases did not store get their defaults.
 */
const checked = ({ settings, ...bot }: StoredBot): Effect.Effect<Bot, BotMisconfigured> =>
  Effect.mapBoth(decodeSettings({ ...LATER_DEFAULTS, ...(settings as object) }), {
    onSuccess: (known) => ({ ...bot, ...known }),
    onFailure: () => new BotMisconfigured({ botId: bot.id })
  })

/** Makes the checks that a schema cannot do: that the model exists, and that the documents belong to the owner. */
const makeCheck = Effect.gen(function* () {
  const catalog = yield* Catalog
  const documents = yield* DocumentStore
  return Effect.fnUntraced(function* (owner: UserId, { documentIds = [], modelId }: Partial<BotSettings>) {
    if (typeof modelId === "string" && findModel(catalog, modelId) === undefined) {
      const message = `Expected one of ${catalog.models.map(({ id }) => id).join(", ")}`
      return yield* new InvalidBot({ issues: [{ path: "modelId", message }] })
    }
    yield* findReadableDocuments(documents, owner, documentIds)
  })
})

const makeRemove = Effect.gen(function* () {
  const bots = yield* BotStore
  const chats = yield* ChatRecords
  const farewell = yield* BotFarewell
  const removeFiles = yield* makeRemoveFiles
  const unitOfWork = yield* UnitOfWork
  return Effect.fn("BotService.remove")(function* (owner: UserId, botId: string) {
    const name = { owner, botId }
    // The bot is turned off first, so that no further files are attached to its conversations.
    const isKnown = yield* bots.update(name, { active: false }, yield* Clock.currentTimeMillis)
    if (!isKnown) return yield* new BotNotFound({ botId })
    const bot = botId.toLowerCase()
    yield* removeFiles({ botOwner: owner, bot })
    const leave = Effect.gen(function* () {
      const after = yield* farewell.leaving(name)
      if (!(yield* bots.remove(name))) return undefined
      yield* chats.removeOfBot(owner, bot)
      return after
    })
    const follow = yield* unitOfWork.run(owner, leave)
    if (follow === undefined) return yield* new BotNotFound({ botId })
    yield* follow
  })
})

const make = Effect.gen(function* () {
  const bots = yield* BotStore
  const check = yield* makeCheck
  const ids = yield* IdGenerator

  const read = Effect.fnUntraced(function* (name: BotName) {
    const found = yield* bots.find(name)
    return found === undefined ? yield* new BotNotFound({ botId: name.botId }) : yield* checked(found)
  })

  return BotService.of({
    create: Effect.fn("BotService.create")(function* (owner, draft) {
      const settings = yield* decodeBotDraft(draft)
      yield* check(owner, settings)
      const now = yield* Clock.currentTimeMillis
      const keys = [{ publicKey: yield* newPublicKey, createdAt: now }]
      const bot: Bot = { ...settings, id: yield* ids.next, owner, keys, createdAt: now, updatedAt: now }
      if (!(yield* bots.insert(bot, MAX_BOTS))) return yield* new TooManyBots({ limit: MAX_BOTS })
      return bot
    }),
    update: Effect.fn("BotService.update")(function* (owner, botId, sent) {
      const change = yield* decodeBotChange(sent)
      if ((yield* bots.find({ owner, botId })) === undefined) return yield* new BotNotFound({ botId })
      yield* check(owner, change)
      const known = yield* bots.update({ owner, botId }, change, yield* Clock.currentTimeMillis)
      return known ? yield* read({ owner, botId }) : yield* new BotNotFound({ botId })
    }),
    get: (owner, botId) => read({ owner, botId }),
    list: (owner) => Effect.flatMap(bots.list(owner), (found) => Effect.forEach(found, checked)),
    remove: yield* makeRemove,
    addKey: Effect.fn("BotService.addKey")(function* (owner, botId) {
      const key = { publicKey: yield* newPublicKey, createdAt: yield* Clock.currentTimeMillis }
      const added = yield* bots.addKey({ owner, botId }, key, MAX_BOT_KEYS)
      if (added === "NoBot") return yield* new BotNotFound({ botId })
      if (added === "Full") return yield* new TooManyBotKeys({ limit: MAX_BOT_KEYS })
      return yield* read({ owner, botId })
    }),
    retireKey: Effect.fn("BotService.retireKey")(function* (owner, botId, publicKey) {
      const retired = yield* bots.retireKey({ owner, botId }, publicKey)
      if (retired === "NoBot") return yield* new BotNotFound({ botId })
      if (retired === "NoKey") return yield* new BotKeyNotFound()
      if (retired === "Last") return yield* new LastBotKey()
      return yield* read({ owner, botId })
    })
  })
})

/** The bots that answer visitors. */
export class ActiveBots extends Context.Service<
  ActiveBots,
  {
    /** Returns the active bot with this public key; undefined for any other text. For `held` see `PublishedBots`. */
    findByKey(publicKey: string, held?: "held"): Effect.Effect<Bot | undefined, BotMisconfigured | StorageFailed>
  }
>()("@parley/core/bots/ActiveBots") {
  static readonly layer = Layer.effect(
    ActiveBots,
    Effect.map(PublishedBots, (bots) =>
      ActiveBots.of({
        findByKey: Effect.fn("ActiveBots.findByKey")(function* (publicKey, held) {
          if (!isPublicKey(publicKey)) return undefined
          const found = yield* bots.findByKey(publicKey, held)
          if (found === undefined) return undefined
          const bot = yield* checked(found)
          return bot.active ? bot : undefined
        })
      })
    )
  )
}
