import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "@effect/vitest"
import { PublishedBots, type SeenSite } from "../../src/bots/BotStore.ts"
import { InstallChecks } from "../../src/bots/InstallChecks.ts"
import { isAllowedSite } from "../../src/bots/isAllowedSite.ts"
import { inMemoryStorageLayer } from "../../src/StoragePorts.ts"
import { newBot } from "../../src/testing/bots/botFixtures.ts"
import { newUserId } from "../../src/testing/storage/storageFixtures.ts"

/** Counts what is written. */
const counting = (notes: Array<Omit<SeenSite, "seenAt">>) =>
  Layer.provide(
    InstallChecks.layer,
    Layer.merge(
      inMemoryStorageLayer,
      Layer.succeed(
        PublishedBots,
        PublishedBots.of({
          findByKey: () => Effect.succeed(undefined),
          noteSite: (_name, seen) => Effect.sync(() => void notes.push(seen)),
          sites: () => Effect.succeed([])
        })
      )
    )
  )

describe("the loads of a widget", () => {
  it.effect("are written once for each site and hour, however many pages ask", () => {
    const notes: Array<Omit<SeenSite, "seenAt">> = []
    return Effect.gen(function* () {
      const checks = yield* InstallChecks
      const bot = newBot(newUserId())
      for (let count = 0; count < 50; count += 1) yield* checks.note(bot, `https://one.example/page/${count}`)
      yield* checks.note(bot, "https://two.example/")
      expect(notes.map(({ site }) => site)).toEqual(["https://one.example", "https://two.example"])
      yield* TestClock.adjust("61 minutes")
      yield* checks.note(bot, "https://one.example/")
      expect(notes).toHaveLength(3)
    }).pipe(Effect.provide(counting(notes)))
  })

  it.effect("cost a bounded number of writes of one bot, if the sites are forged, and none of the others", () => {
    const notes: Array<Omit<SeenSite, "seenAt">> = []
    return Effect.gen(function* () {
      const checks = yield* InstallChecks
      const [attacked, other] = [newBot(newUserId()), newBot(newUserId())]
      for (let count = 0; count < 500; count += 1) yield* checks.note(attacked, `https://s${count}.example/`)
      expect(notes.length).toBeLessThanOrEqual(60)
      notes.length = 0
      yield* checks.note(other, "https://one.example/")
      expect(notes).toHaveLength(1)
    }).pipe(Effect.provide(counting(notes)))
  })
})

describe("a site that a bot allows", () => {
  it.each([
    [[], "https://any.example", true],
    [["https://shop.example"], "https://shop.example", true],
    [["https://shop.example"], "https://shop.example:8443", false],
    [["https://shop.example"], "http://shop.example", false],
    [["http://shop.example"], "https://shop.example", true],
    [["https://shop.example"], "https://evil-shop.example", false],
    [["https://*.example.org"], "https://www.example.org", true],
    [["https://*.example.org"], "https://a.b.example.org", true],
    [["https://*.example.org"], "https://example.org", false],
    [["https://*.example.org"], "https://badexample.org", false],
    [["http://localhost:8080"], "http://localhost:8080", true],
    [["http://localhost:8080"], "http://localhost:8081", false],
    [["https://a.example", "https://b.example"], "https://b.example", true]
  ] as const)("%j: %s is %s", (sites, origin, isAllowed) => {
    expect(isAllowedSite(sites, origin)).toBe(isAllowed)
  })
})
