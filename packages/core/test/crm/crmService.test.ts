import { it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { BotStore } from "../../src/bots/BotStore.ts"
import { AppointmentBook } from "../../src/crm/AppointmentBook.ts"
import { CrmConnectionStore, SealedConnections } from "../../src/crm/CrmConnectionStore.ts"
import { CrmProviders } from "../../src/crm/CrmProvider.ts"
import { CrmService, knownAccount } from "../../src/crm/CrmService.ts"
import { newUserId } from "../../src/testing/storage/storageFixtures.ts"
import { began, cameBack, connected, crmWorld, newBotOf, newBrowser, REDIRECT_URI } from "./crmWorld.ts"

const stored = (bot: { readonly owner: string; readonly botId: string }) =>
  CrmConnectionStore.use((store) => store.list(bot))

describe("connecting a bot", () => {
  const world = crmWorld()

  it.effect(
    "leads to the provider with a new state and an S256 challenge, and keeps tokens where the person allows it",
    () =>
      Effect.gen(function* () {
        const bot = yield* newBotOf()
        const browser = newBrowser()
        const url = yield* began(bot, browser)
        expect(url.searchParams.get("code_challenge_method")).toBe("S256")
        expect(url.searchParams.get("redirect_uri")).toBe(REDIRECT_URI)
        expect((yield* began(bot, newBrowser())).searchParams.get("state")).not.toBe(url.searchParams.get("state"))
        const outcome = yield* cameBack(bot.owner, browser, world.provider_one.approve(url))
        expect(outcome).toEqual({ botId: bot.botId, provider: "provider_one", error: undefined, isOver: true })
        const crm = yield* CrmService
        expect(yield* crm.list(bot.owner, bot.botId)).toMatchObject([
          {
            provider: "provider_one",
            available: true,
            connection: { state: "connected", account: { name: "Example Ltd" }, connectedBy: "ann@example.com" }
          },
          { provider: "provider_two", connection: undefined }
        ])
        const [connection] = yield* stored(bot)
        expect(JSON.stringify(connection)).not.toMatch(/access-|refresh-/)
      }).pipe(Effect.provide(world.layer))
  )

  it.effect("again replaces the connection there was; two tabs end in either order", () =>
    Effect.gen(function* () {
      const bot = yield* newBotOf()
      const browser = newBrowser()
      const [first, second] = [yield* began(bot, browser), yield* began(bot, browser)]
      expect(browser.cookies.size).toBe(2)
      for (const url of [second, first]) {
        const outcome = yield* cameBack(bot.owner, browser, world.provider_one.approve(url))
        expect(outcome.error).toBeUndefined()
      }
      expect(yield* stored(bot)).toHaveLength(1)
    }).pipe(Effect.provide(world.layer))
  )

  it.effect(
    "is refused for a provider that is none, a bot that is not the person's, and a server that is not set up",
    () =>
      Effect.gen(function* () {
        const bot = yield* newBotOf()
        const browser = newBrowser()
        for (const name of ["provider_three", "constructor", "__proto__", "toString", "", "PROVIDER_ONE"]) {
          expect((yield* Effect.flip(began(bot, browser, name))).code).toBe("crm_provider_not_found")
          const back = cameBack(bot.owner, browser, new URLSearchParams(), name)
          expect((yield* Effect.flip(back)).code).toBe("crm_provider_not_found")
        }
        const foreign = yield* Effect.flip(began({ ...bot, owner: newUserId() }, browser))
        const absent = yield* Effect.flip(began({ ...bot, botId: crypto.randomUUID() }, browser))
        expect([foreign.code, absent.code]).toEqual(["bot_not_found", "bot_not_found"])
        expect(foreign.message).toBe(absent.message)
        expect(browser.cookies.size).toBe(0)
        const none = Layer.provide(Layer.fresh(CrmService.layer), Layer.succeed(CrmProviders, new Map()))
        const unset = yield* Effect.flip(Effect.provide(began(bot, browser), none))
        expect(unset).toMatchObject({ code: "crm_not_configured", missing: "provider" })
      }).pipe(Effect.provide(world.layer))
  )
})

describe("a callback", () => {
  const refused = crmWorld()
  const { layer, provider_one: one, provider_two: two } = refused
  const calls = () => one.calls.length + two.calls.length

  it.effect("without a state of this browser names no bot and asks no provider", () =>
    Effect.gen(function* () {
      const bot = yield* newBotOf()
      const browser = newBrowser()
      const callback = one.approve(yield* began(bot, browser))
      const before = calls()
      const doubled = new URLSearchParams(callback)
      doubled.append("state", "other")
      for (const [query, from] of [
        [callback, newBrowser()],
        [new URLSearchParams({ code: "c" }), browser],
        [new URLSearchParams({ code: "c", state: "" }), browser],
        [doubled, browser]
      ] as const) {
        expect((yield* Effect.flip(cameBack(bot.owner, from, query))).code).toBe("crm_state_unknown")
      }
      expect(calls()).toBe(before)
      expect((yield* cameBack(bot.owner, browser, callback)).error).toBeUndefined()
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "of another person, another provider, another issuer or too late is refused, sends no request and uses nothing up",
    () =>
      Effect.gen(function* () {
        const bot = yield* newBotOf()
        const other = yield* newBotOf()
        const browser = newBrowser()
        const callback = one.approve(yield* began(bot, browser))
        const before = calls()
        const forged = new URLSearchParams(callback)
        forged.set("iss", "https://evil.example")
        const nameless = new URLSearchParams(callback)
        nameless.delete("iss")
        const twice = new URLSearchParams(callback)
        twice.append("iss", "https://one.example")
        const refusal = { botId: bot.botId, error: "state" }
        expect(yield* cameBack(other.owner, browser, callback)).toMatchObject(refusal)
        for (const query of [callback, nameless]) {
          expect(yield* cameBack(bot.owner, browser, query, "provider_two")).toMatchObject(refusal)
        }
        expect(yield* cameBack(bot.owner, browser, forged)).toMatchObject(refusal)
        expect(yield* cameBack(bot.owner, browser, twice)).toMatchObject(refusal)
        expect(yield* cameBack(bot.owner, browser, nameless)).toMatchObject(refusal)
        expect(calls()).toBe(before)
        expect(yield* stored(bot)).toEqual([])
        expect((yield* cameBack(bot.owner, browser, callback)).error).toBeUndefined()
        const late = newBrowser()
        const lateCallback = one.approve(yield* began(bot, late))
        yield* TestClock.adjust("10 minutes")
        const asked = calls()
        expect(yield* cameBack(bot.owner, late, lateCallback)).toMatchObject(refusal)
        expect(calls()).toBe(asked)
      }).pipe(Effect.provide(layer))
  )

  it.effect("of a provider that is configured without an issuer is refused where it names one", () =>
    Effect.gen(function* () {
      const bot = yield* newBotOf()
      const browser = newBrowser()
      const callback = two.approve(yield* began(bot, browser, "provider_two"))
      const named = new URLSearchParams(callback)
      named.set("iss", "https://one.example")
      expect(yield* cameBack(bot.owner, browser, named, "provider_two")).toMatchObject({ error: "state" })
      expect((yield* cameBack(bot.owner, browser, callback, "provider_two")).error).toBeUndefined()
    }).pipe(Effect.provide(layer))
  )

  it.effect("counts once, however often and at once it comes", () =>
    Effect.gen(function* () {
      const bot = yield* newBotOf()
      const browser = newBrowser()
      const callback = one.approve(yield* began(bot, browser))
      const before = calls()
      const outcomes = yield* Effect.all(
        Array.from({ length: 8 }, () => cameBack(bot.owner, browser, callback)),
        { concurrency: "unbounded" }
      )
      expect(outcomes.filter(({ error }) => error === undefined)).toHaveLength(1)
      expect(outcomes.filter(({ error }) => error === "state")).toHaveLength(7)
      expect((yield* cameBack(bot.owner, browser, callback)).error).toBe("state")
      expect(calls()).toBe(before + 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("with an error sends no request, stores nothing, reports only if the person refused, and is used up", () =>
    Effect.gen(function* () {
      const bot = yield* newBotOf()
      const before = calls()
      for (const [error, expected] of [
        ["access_denied", "denied"],
        ["user_denied", "denied"],
        ["server_error", "exchange"],
        ["<script>alert(1)</script>\r\nset-cookie: a=b", "exchange"],
        ["", "exchange"]
      ] as const) {
        const browser = newBrowser()
        const callback = one.approve(yield* began(bot, browser))
        callback.set("error", error)
        callback.set("error_description", "<b>no</b>")
        expect(yield* cameBack(bot.owner, browser, callback)).toMatchObject({ botId: bot.botId, error: expected })
        callback.delete("error")
        expect(yield* cameBack(bot.owner, browser, callback)).toMatchObject({ error: "state" })
      }
      expect(calls()).toBe(before)
      expect(yield* stored(bot)).toEqual([])
    }).pipe(Effect.provide(layer))
  )

  it.effect("whose exchange fails keeps nothing, and what there was stays", () =>
    Effect.gen(function* () {
      const bot = yield* newBotOf()
      for (const fault of ["unavailable", "lost", "grant", "client"] as const) {
        one.failNext(fault)
        expect(yield* connected(bot, one)).toMatchObject({ botId: bot.botId, error: "exchange" })
        expect(yield* stored(bot)).toEqual([])
      }
      const browser = newBrowser()
      const callback = one.approve(yield* began(bot, browser))
      callback.delete("code")
      expect(yield* cameBack(bot.owner, browser, callback)).toMatchObject({ error: "exchange" })
      expect((yield* connected(bot, one)).error).toBeUndefined()
      const before = yield* stored(bot)
      one.failNext("lost")
      expect((yield* connected(bot, one)).error).toBe("exchange")
      expect(yield* stored(bot)).toEqual(before)
    }).pipe(Effect.provide(layer))
  )

  it.effect("for a bot that was deleted meanwhile sends no request", () =>
    Effect.gen(function* () {
      const bot = yield* newBotOf()
      const browser = newBrowser()
      const callback = one.approve(yield* began(bot, browser))
      yield* BotStore.use((bots) => bots.remove(bot))
      const before = calls()
      expect(yield* cameBack(bot.owner, browser, callback)).toMatchObject({ botId: bot.botId, error: "bot" })
      expect(calls()).toBe(before)
    }).pipe(Effect.provide(layer))
  )

  it("for a bot that goes during the exchange keeps nothing, and takes the tokens back", () => {
    let remove: Effect.Effect<unknown> = Effect.void
    const leaving = crmWorld({ during: (call) => (call === "exchange" ? Effect.asVoid(remove) : Effect.void) })
    return Effect.runPromise(
      Effect.gen(function* () {
        const bot = yield* newBotOf()
        const bots = yield* BotStore
        remove = Effect.orDie(bots.remove(bot))
        expect(yield* connected(bot, leaving.provider_one)).toMatchObject({ error: "bot" })
        expect(leaving.provider_one.calls).toEqual(["exchange", "revoke"])
        expect(yield* SealedConnections.use((sealed) => sealed.counts)).toEqual([])
      }).pipe(Effect.provide(leaving.layer))
    )
  })

  it("with any change of the state or of what the browser kept asks no provider", () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const bot = yield* newBotOf()
        const browser = newBrowser()
        const callback = one.approve(yield* began(bot, browser))
        const [[id, sealed] = ["", ""]] = [...browser.cookies]
        const state = callback.get("state") ?? ""
        const before = calls()
        const context = yield* Effect.context<CrmService>()
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(
              fc.constantFrom("state", "cookie"),
              fc.nat(),
              fc.constantFrom(..."ABab09-_."),
              async (what, position, character) => {
                const text = what === "state" ? state : sealed
                const at = position % text.length
                const changed = text.slice(0, at) + character + text.slice(at + 1)
                if (changed === text) return
                const forged = new URLSearchParams(callback)
                if (what === "state") forged.set("state", changed)
                // The browser returns its own cookie for any name that the changed state asks for.
                const kept = (asked: string) =>
                  what === "state" || asked === id ? (what === "state" ? sealed : changed) : undefined
                const back = CrmService.use((crm) =>
                  crm.callback({ owner: bot.owner, by: "ann", provider: "provider_one", callback: forged, kept })
                )
                const failure = await Effect.runPromise(Effect.provideContext(Effect.flip(back), context))
                expect(failure.code).toBe("crm_state_unknown")
              }
            ),
            { numRuns: 300 }
          )
        )
        expect(calls()).toBe(before)
      }).pipe(Effect.provide(layer))
    ))
})

describe("disconnecting", () => {
  const world = crmWorld()
  const one = world.provider_one

  it.effect("removes the connection and takes it back at the provider; also where that does not answer", () =>
    Effect.gen(function* () {
      const bot = yield* newBotOf()
      const crm = yield* CrmService
      const disconnect = crm.disconnect(bot.owner, bot.botId, "provider_one")
      yield* connected(bot, one)
      expect(yield* disconnect).toEqual({ revocation: "revoked" })
      expect(yield* stored(bot)).toEqual([])
      yield* connected(bot, one)
      one.failNext("unavailable")
      expect(yield* disconnect).toEqual({ revocation: "pending" })
      expect(yield* stored(bot)).toEqual([])
      expect((yield* Effect.flip(disconnect)).code).toBe("crm_not_connected")
      yield* connected(bot, one)
      const foreign = crm.disconnect(newUserId(), bot.botId, "provider_one")
      expect((yield* Effect.flip(foreign)).code).toBe("bot_not_found")
      expect(yield* stored(bot)).toHaveLength(1)
    }).pipe(Effect.provide(world.layer))
  )
})

it("what a provider tells of an account is kept in one line of 200 characters", () => {
  expect(knownAccount({ id: "\r\n", name: " Ann\u202e & \u0000Co.\n Ltd " })).toEqual({ name: "Ann & Co. Ltd" })
  expect(knownAccount({ name: "x".repeat(10_000) }).name).toHaveLength(200)
  expect(knownAccount({ name: `${"x".repeat(199)}\u{1F600}` }).name?.isWellFormed()).toBe(true)
})

it.effect("appointments are not available, and say so by name", () =>
  Effect.gen(function* () {
    const book = yield* AppointmentBook
    const draft = {
      connection: { owner: "ann", botId: crypto.randomUUID(), provider: "provider_one" },
      title: "A call",
      startsAt: 0,
      durationMs: 1_800_000,
      attendeeEmail: "bob@example.com"
    } as const
    expect((yield* Effect.flip(book.book(draft))).code).toBe("appointments_not_available")
  }).pipe(Effect.provide(AppointmentBook.unavailable))
)
