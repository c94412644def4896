import { Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { BotService } from "../../src/bots/BotService.ts"
import { BotStore } from "../../src/bots/BotStore.ts"
import { CrmAccess } from "../../src/crm/CrmAccess.ts"
import { CrmConnectionStore } from "../../src/crm/CrmConnectionStore.ts"
import { CrmService } from "../../src/crm/CrmService.ts"
import { Catalog, makeCatalog } from "../../src/tiers/Catalog.ts"
import { newBot } from "../../src/testing/bots/botFixtures.ts"
import { newUserId } from "../../src/testing/storage/storageFixtures.ts"
import { connected, crmWorld, newBotOf } from "./crmWorld.ts"

/** A world whose first access tokens are about to expire, unlike the later ones. */
const stale = { firstExpiresInSeconds: 30 }
const nameOf = (bot: { readonly owner: string; readonly botId: string }) =>
  ({ ...bot, provider: "provider_one" }) as const
const tokenOf = (bot: { readonly owner: string; readonly botId: string }) =>
  Effect.map(
    CrmAccess.use((access) => access.accessToken(nameOf(bot))),
    ({ accessToken }) => accessToken
  )
const seen = (bot: { readonly owner: string; readonly botId: string }) =>
  CrmService.use((crm) => crm.list(bot.owner, bot.botId)).pipe(Effect.map(([offer]) => offer?.connection))

const staged = (options: Parameters<typeof crmWorld>[0] = stale) => {
  const world = crmWorld(options)
  const run = <A, E>(
    work: (bot: {
      readonly owner: string
      readonly botId: string
    }) => Effect.Effect<A, E, Layer.Success<typeof world.layer>>
  ) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const bot = yield* newBotOf()
        expect((yield* connected(bot, world.provider_one)).error).toBeUndefined()
        return yield* work(bot)
      }).pipe(Effect.provide(world.layer))
    )
  const refreshes = () => world.provider_one.calls.filter((call) => call === "refresh").length
  return { one: world.provider_one, refreshes, run }
}

describe("access", () => {
  it("is returned without a call while the token is valid, and only to the owner", async () => {
    const { one, refreshes, run } = staged({})
    await run((bot) =>
      Effect.gen(function* () {
        const token = yield* tokenOf(bot)
        expect(one.isLive(token)).toBe(true)
        expect(Redacted.value(yield* tokenOf(bot))).toBe(Redacted.value(token))
        expect((yield* Effect.flip(tokenOf({ ...bot, owner: newUserId() })))._tag).toBe("CrmNotConnected")
        expect(refreshes()).toBe(0)
      })
    )
  })

  it("asked for twenty times at once when it has to be refreshed asks the provider once, and all get the new token", async () => {
    const { one, refreshes, run } = staged()
    await run((bot) =>
      Effect.gen(function* () {
        const tokens = yield* Effect.all(
          Array.from({ length: 20 }, () => tokenOf(bot)),
          { concurrency: "unbounded" }
        )
        expect(new Set(tokens.map((token) => Redacted.value(token))).size).toBe(1)
        expect(tokens.every((token) => one.isLive(token))).toBe(true)
        expect(refreshes()).toBe(1)
        expect(yield* seen(bot)).toMatchObject({ state: "connected", problem: undefined })
      })
    )
  })

  it("goes on with the rotated refresh token, time and again", async () => {
    const { one, refreshes, run } = staged({ expiresInSeconds: 30 })
    await run((bot) =>
      Effect.gen(function* () {
        for (let time = 1; time <= 5; time++) {
          expect(one.isLive(yield* tokenOf(bot))).toBe(true)
          expect(refreshes()).toBe(time)
        }
      })
    )
  })

  it("keeps the refresh token where the provider gives no other", async () => {
    const { refreshes, run } = staged({ expiresInSeconds: 30, rotates: false })
    await run((bot) =>
      Effect.gen(function* () {
        for (let time = 1; time <= 3; time++) yield* tokenOf(bot)
        expect(refreshes()).toBe(3)
      })
    )
  })

  it("whose answer was lost says so, is not asked for again, and can be made anew", async () => {
    const { one, refreshes, run } = staged()
    await run((bot) =>
      Effect.gen(function* () {
        one.failNext("lost")
        for (let time = 0; time < 3; time++) {
          expect(yield* Effect.flip(tokenOf(bot))).toMatchObject({ _tag: "CrmNeedsReconnect", problem: "answer_lost" })
        }
        expect(refreshes()).toBe(1)
        expect(yield* seen(bot)).toMatchObject({ state: "needs_reconnect", problem: "answer_lost" })
        expect((yield* connected(bot, one)).error).toBeUndefined()
        expect(yield* seen(bot)).toMatchObject({ state: "connected", problem: undefined })
        expect(one.isLive(yield* tokenOf(bot))).toBe(true)
      })
    )
  })

  it("that the provider took back needs a new connection, and no more calls", async () => {
    const { one, refreshes, run } = staged()
    await run((bot) =>
      Effect.gen(function* () {
        one.failNext("grant")
        expect(yield* Effect.flip(tokenOf(bot))).toMatchObject({ _tag: "CrmNeedsReconnect", problem: "refused" })
        expect(yield* Effect.flip(tokenOf(bot))).toMatchObject({ _tag: "CrmNeedsReconnect", problem: "refused" })
        expect(refreshes()).toBe(1)
      })
    )
  })

  it("is asked for again, a few times, where the provider took nothing on; then it says so, and the next try may succeed", async () => {
    const { one, refreshes, run } = staged()
    await run((bot) =>
      Effect.gen(function* () {
        one.failNext("unavailable")
        one.failNext("unavailable")
        expect(one.isLive(yield* tokenOf(bot))).toBe(true)
        expect(refreshes()).toBe(3)
      })
    )
    const down = staged()
    await down.run((bot) =>
      Effect.gen(function* () {
        for (let time = 0; time < 3; time++) down.one.failNext("unavailable")
        expect((yield* Effect.flip(tokenOf(bot)))._tag).toBe("CrmUnavailable")
        expect(down.refreshes()).toBe(3)
        expect(yield* seen(bot)).toMatchObject({ state: "error", problem: "unavailable" })
        expect(down.one.isLive(yield* tokenOf(bot))).toBe(true)
        expect(yield* seen(bot)).toMatchObject({ state: "connected" })
      })
    )
  })

  it("that a registration is refused for is an error, and not the end of the connection", async () => {
    const { one, run } = staged()
    await run((bot) =>
      Effect.gen(function* () {
        one.failNext("client")
        expect(yield* Effect.flip(tokenOf(bot))).toMatchObject({ _tag: "CrmRefused", reason: "client" })
        expect(yield* seen(bot)).toMatchObject({ state: "error", problem: "client" })
        expect(one.isLive(yield* tokenOf(bot))).toBe(true)
      })
    )
  })

  it("with an unfinished refresh ends after three claims, without a call", async () => {
    const { refreshes, run } = staged()
    await run((bot) =>
      Effect.gen(function* () {
        const store = yield* CrmConnectionStore
        const { version = 0 } = (yield* store.find(nameOf(bot))) ?? {}
        for (let time = 0; time < 3; time++) {
          yield* store.claimRefresh({ name: nameOf(bot), version, lease: crypto.randomUUID(), leaseMs: 0 })
        }
        expect(yield* Effect.flip(tokenOf(bot))).toMatchObject({ problem: "answer_lost" })
        expect(refreshes()).toBe(0)
      })
    )
  })

  it("that is refreshed when the bot is disconnected is not kept, and taken back", async () => {
    let disconnect: Effect.Effect<unknown> = Effect.void
    const { one, run } = staged({
      ...stale,
      during: (call) => (call === "refresh" ? Effect.asVoid(disconnect) : Effect.void)
    })
    await run((bot) =>
      Effect.gen(function* () {
        const store = yield* CrmConnectionStore
        disconnect = Effect.orDie(store.remove(bot))
        expect((yield* Effect.flip(tokenOf(bot)))._tag).toBe("CrmNotConnected")
        expect(yield* store.list(bot)).toEqual([])
        expect(one.calls).toEqual(["exchange", "refresh", "revoke"])
      })
    )
  })
})

it("tokens of a row that was put in the place of another do not open", async () => {
  const { run } = staged({})
  await run((bot) =>
    Effect.gen(function* () {
      const store = yield* CrmConnectionStore
      const mine = yield* store.find(nameOf(bot))
      if (mine === undefined) throw new Error("the connection is not there")
      const other = yield* newBotOf(bot.owner)
      // A bot with the same id, of another person.
      const stranger = { owner: newUserId(), botId: bot.botId }
      yield* BotStore.use((bots) => bots.insert(newBot(stranger.owner, { id: bot.botId }), 1_000))
      for (const place of [other, stranger, { ...bot, provider: "provider_two" as const }]) {
        const moved = { ...nameOf(place), ...("provider" in place ? { provider: place.provider } : {}) }
        expect(yield* store.save({ ...mine, ...moved })).toBe(true)
        const opened = CrmAccess.use((access) => access.accessToken(moved))
        expect(yield* Effect.flip(opened)).toMatchObject({ _tag: "SecretUnreadable", problem: "content" })
      }
      expect(yield* seen(other)).toMatchObject({ state: "error", problem: "unreadable" })
    })
  )
})

it("deleting a bot removes its connections and revokes them, for any answer of the provider", async () => {
  const world = crmWorld()
  const services = BotService.layer.pipe(
    Layer.provideMerge(world.layer),
    Layer.provideMerge(Layer.succeed(Catalog, makeCatalog({})))
  )
  await Effect.runPromise(
    Effect.gen(function* () {
      const bots = yield* BotService
      const store = yield* CrmConnectionStore
      for (const fault of [undefined, "unavailable", "lost"] as const) {
        const bot = yield* newBotOf()
        yield* connected(bot, world.provider_one)
        yield* connected(bot, world.provider_two)
        const before = world.provider_one.calls.length
        if (fault !== undefined) world.provider_one.failNext(fault)
        yield* bots.remove(bot.owner, bot.botId)
        expect(yield* store.list(bot)).toEqual([])
        expect(world.provider_one.calls.slice(before)).toEqual(["revoke"])
        expect(world.provider_two.calls.at(-1)).toBe("revoke")
        expect(yield* BotStore.use((each) => each.list(bot.owner))).toEqual([])
      }
    }).pipe(Effect.provide(services))
  )
})
