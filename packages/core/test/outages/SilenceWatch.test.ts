import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { type Asked, SilenceWatch } from "../../src/outages/SilenceWatch.ts"

class Refused {
  readonly retryAfterMs: number
  constructor(retryAfterMs: number) {
    this.retryAfterMs = retryAfterMs
  }
}

/** A watch over a dependency that answers probes while `answers` is true, and never otherwise. */
const watched = Effect.gen(function* () {
  const dependency = { answers: false, probes: 0 }
  const probe = Effect.suspend(() => {
    dependency.probes += 1
    const asked = watch.ask()
    const answer = dependency.answers ? Effect.sync(asked.answered) : Effect.never
    return Effect.ensuring(Effect.timeoutOption(answer, "3 seconds"), Effect.sync(asked.leave))
  })
  const watch: SilenceWatch = new SilenceWatch({
    dependency: "it",
    clock: yield* Clock.Clock,
    probe,
    probeEveryMs: 1_000
  })
  const admitted = Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Effect.exit(watch.admit((retryAfterMs) => new Refused(retryAfterMs))))
    yield* TestClock.adjust("500 millis")
    return (yield* Fiber.join(fiber))._tag === "Success"
  })
  /** A request that waits this many seconds without a response. */
  const inVain = Effect.fnUntraced(function* (seconds: number) {
    const asked = watch.ask()
    yield* TestClock.adjust(`${seconds} seconds`)
    asked.leave()
  })
  return { admitted, dependency, inVain, watch }
})

describe("SilenceWatch", () => {
  it.effect("refuses once requests have waited in vain for 20 seconds, and not before", () =>
    Effect.gen(function* () {
      const { admitted, inVain, watch } = yield* watched
      yield* inVain(12)
      expect(yield* admitted).toBe(true)
      yield* inVain(7)
      expect(watch.isDown).toBe(false)
      yield* inVain(1)
      expect(yield* admitted).toBe(false)
    })
  )

  it.effect("does not count time without a waiting request", () =>
    Effect.gen(function* () {
      const { admitted, dependency, inVain } = yield* watched
      yield* inVain(12)
      yield* TestClock.adjust("1 hour")
      yield* inVain(7)
      expect(yield* admitted).toBe(true)
      expect(dependency.probes).toBe(0)
    })
  )

  it.effect("counts the time of requests that wait together once", () =>
    Effect.gen(function* () {
      const { watch } = yield* watched
      const requests = Array.from({ length: 10 }, () => watch.ask())
      yield* TestClock.adjust("19 seconds")
      for (const asked of requests) asked.leave()
      expect(watch.isDown).toBe(false)
    })
  )

  it.effect("treats any response as an answer, even while other requests wait", () =>
    Effect.gen(function* () {
      const { admitted, watch } = yield* watched
      watch.ask()
      yield* TestClock.adjust("15 seconds")
      watch.ask().answered()
      yield* TestClock.adjust("15 seconds")
      expect(yield* admitted).toBe(true)
      yield* TestClock.adjust("5 seconds")
      expect(yield* admitted).toBe(false)
    })
  )

  it.effect("says after how long to ask again, and probes no more often than that", () =>
    Effect.gen(function* () {
      const { admitted, dependency, inVain, watch } = yield* watched
      yield* inVain(20)
      const fiber = yield* Effect.forkChild(Effect.flip(watch.admit((retryAfterMs) => new Refused(retryAfterMs))))
      yield* TestClock.adjust("500 millis")
      expect(yield* Fiber.join(fiber)).toEqual(new Refused(1_000))
      for (let time = 0; time < 8; time++) expect(yield* admitted).toBe(false)
      expect(dependency.probes).toBe(5)
      // No request waits between two probes.
      yield* TestClock.adjust("600 millis")
      yield* admitted
      yield* TestClock.adjust("100 millis")
      expect(yield* Effect.flip(watch.admit(() => "refused"))).toBe("refused")
    })
  )

  it.effect("admits the request whose probe is answered, and all after it", () =>
    Effect.gen(function* () {
      const { admitted, dependency, inVain } = yield* watched
      yield* inVain(20)
      expect(yield* admitted).toBe(false)
      yield* TestClock.adjust("1 second")
      dependency.answers = true
      expect(yield* admitted).toBe(true)
      const { probes } = dependency
      expect(yield* admitted).toBe(true)
      expect(dependency.probes).toBe(probes)
    })
  )

  it.effect("admits all who come with a probe that is answered", () =>
    Effect.gen(function* () {
      const { dependency, inVain, watch } = yield* watched
      yield* inVain(20)
      dependency.answers = true
      yield* Effect.all(
        Array.from({ length: 10 }, () => watch.admit(() => "refused")),
        { concurrency: "unbounded" }
      )
      expect(dependency.probes).toBe(1)
    })
  )

  it.effect("admits those who wait for a probe as soon as anything is heard", () =>
    Effect.gen(function* () {
      const { inVain, watch } = yield* watched
      const early = watch.ask()
      yield* inVain(20)
      const waiting = yield* Effect.forkChild(watch.admit(() => "refused"))
      yield* TestClock.adjust("100 millis")
      early.answered()
      yield* Fiber.join(waiting)
    })
  )

  it("is down exactly when the waits since something was last heard add up to the limit", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constantFrom("ask", "answered", "leave") }),
      fc.record({ do: fc.constant("pass" as const), ms: fc.nat(15_000) })
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let now = 0
        const waiting: Array<Asked> = []
        let silent = 0
        const clock = { currentTimeMillisUnsafe: () => now } as Clock.Clock
        const watch = new SilenceWatch({ dependency: "it", clock, probe: Effect.void, probeEveryMs: 1_000 })
        for (const each of steps) {
          if (each.do === "pass") {
            const ms = "ms" in each ? each.ms : 0
            if (waiting.length > 0) silent += ms
            now += ms
          } else if (each.do === "ask") waiting.push(watch.ask())
          else {
            const asked = waiting.shift()
            if (asked !== undefined && each.do === "answered") silent = 0
            if (each.do === "answered") asked?.answered()
            else asked?.leave()
          }
          expect(watch.isDown).toBe(silent >= 20_000)
        }
      })
    )
  })
})
