import { Clock, Context, Effect, Layer } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { Bot } from "./Bot.ts"
import { BotStore, PublishedBots, type SeenSite } from "./BotStore.ts"
import { BotNotFound } from "./errors.ts"
import { isAllowedSite } from "./isAllowedSite.ts"

/**
 * Milliseconds within which a process records a site of a bot at most once, and at most `MAX_NOTES` sites of one bot.
 */
const WINDOW_MS = 3_600_000
const MAX_NOTES = 60
/** The maximum number of bots that a process remembers; for a forgotten bot a site may be written again. */
const MAX_BOTS = 10_000
const MAX_SITE_CHARACTERS = 300

/** Records the sites that load the widgets of bots, so that owners see whether their widget is installed. */
export class InstallChecks extends Context.Service<
  InstallChecks,
  {
    /**
     * Records that a page requests the chat of a bot. `page` is an address, of which only the origin is stored; other
     * texts are ignored. Never fails, because the chat does not depend on it.
     */
    note(bot: Bot, page: string): Effect.Effect<void>
    /** The recorded sites, the site seen last first. */
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

/**
 * Returns a function that is true if a site has to be written to the store. It bounds the writes of this process, even
 * if addresses are forged.
 */
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
