import { Clock, Context, Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { Bot } from "./Bot.ts"
import { BotStore, PublishedBots, type SeenSite } from "./BotStore.ts"
import { BotNotFound } from "./errors.ts"
import { isAllowedSite } from "./isAllowedSite.ts"

/** A process notes a site of a bot at most once in this time, and at most so many sites of one bot. */
const WINDOW_MS = 3_600_000
const MAX_NOTES = 60
/** The most bots that a process remembers; the oldest are forgotten, which costs a write. */
const MAX_BOTS = 10_000
const MAX_SITE_CHARACTERS = 300

/** The sites that load the widgets of bots, so that their owners see if they are installed. */
export class InstallChecks extends Context.Service<
  InstallChecks,
  {
    /**
     * Notes that a page asks for the chat of a bot. Takes an address of the page, of which the origin is kept; other
     * texts are ignored. Never fails, because the chat does not depend on it.
     */
    note(bot: Bot, page: string): Effect.Effect<void>
    /** The sites that were seen, the last one first. */
    list(owner: UserId, botId: string): Effect.Effect<ReadonlyArray<SeenSite>, BotNotFound | StorageFailed>
  }
>()("@parley/core/bots/InstallChecks") {
  static readonly layer = Layer.effect(
    InstallChecks,
    Effect.suspend(() => make)
  )
}

interface Noted {
  readonly since: number
  readonly keys: Set<string>
}

/** True if the store has to be asked: bounds the writes of this process, also if addresses are forged. */
const makeWindow = () => {
  const noted = new Map<string, Noted>()
  return (botId: string, key: string, now: number): boolean => {
    const known = noted.get(botId)
    const current =
      known !== undefined && now - known.since < WINDOW_MS ? known : { since: now, keys: new Set<string>() }
    if (current.keys.has(key) || current.keys.size >= MAX_NOTES) return false
    current.keys.add(key)
    if (current !== known) noted.delete(botId)
    noted.set(botId, current)
    if (noted.size > MAX_BOTS) noted.delete(noted.keys().next().value ?? "")
    return true
  }
}

const originOf = (page: string): string | undefined => {
  const origin = URL.parse(page)?.origin
  return origin !== undefined && /^https?:/.test(origin) && origin.length <= MAX_SITE_CHARACTERS ? origin : undefined
}

const make = Effect.gen(function* () {
  const bots = yield* BotStore
  const published = yield* PublishedBots
  const isNew = makeWindow()

  return InstallChecks.of({
    note: Effect.fn("InstallChecks.note")(function* (bot, page) {
      const site = originOf(page)
      if (site === undefined) return
      const isAllowed = isAllowedSite(bot.allowedSites, site)
      if (!isNew(bot.id, `${isAllowed} ${site}`, yield* Clock.currentTimeMillis)) return
      yield* Effect.ignore(published.noteSite({ owner: bot.owner, botId: bot.id }, { site, isAllowed }))
    }),
    list: Effect.fn("InstallChecks.list")(function* (owner, botId) {
      if ((yield* bots.find({ owner, botId })) === undefined) return yield* new BotNotFound({ botId })
      return yield* published.sites({ owner, botId })
    })
  })
})
