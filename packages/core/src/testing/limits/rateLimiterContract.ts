import { Effect, type Layer } from "effect"
import { expect, it } from "vitest"
import { RateLimiter } from "../../limits/RateLimiter.ts"
import { suiteOn } from "../suiteOn.ts"

const HOUR_MS = 3_600_000

/** Tests the guarantees of a `RateLimiter`. `layer` is built once, for all tests. */
export const rateLimiterContract = (name: string, layer: Layer.Layer<RateLimiter, unknown>): void =>
  suiteOn(`RateLimiter: ${name}`, layer, (run) => {
    const counting = (subject: string, event: string, windowMs: number) =>
      RateLimiter.use((limiter) => limiter.count({ subject, name: event, windowMs }))
    const peeking = (subject: string, event: string) =>
      RateLimiter.use((limiter) => Effect.map(limiter.peek([{ subject, name: event }]), ([peeked]) => peeked!))
    const newSubject = () => `user-${crypto.randomUUID()}`

    it("counts every event of a window, even those of the same moment, and returns its end", () =>
      run(
        Effect.gen(function* () {
          const count = counting(newSubject(), "tries", HOUR_MS)
          const first = yield* count
          expect(first.count).toBe(1)
          expect(first.remainingMs).toBeGreaterThan(0)
          expect(first.remainingMs).toBeLessThanOrEqual(HOUR_MS)
          const all = yield* Effect.all(
            Array.from({ length: 30 }, () => count),
            { concurrency: "unbounded" }
          )
          expect(all.map((counted) => counted.count).toSorted((a, b) => a - b)).toEqual(
            all.map((_, index) => index + 2)
          )
          expect((yield* count).remainingMs).toBeLessThanOrEqual(first.remainingMs)
        })
      ))

    it("counts subjects and names apart", () =>
      run(
        Effect.gen(function* () {
          const [subject, other] = [newSubject(), newSubject()]
          yield* counting(subject, "tries", HOUR_MS)
          expect(yield* counting(subject, "calls", HOUR_MS)).toMatchObject({ count: 1 })
          expect(yield* counting(other, "tries", HOUR_MS)).toMatchObject({ count: 1 })
          expect(yield* counting(subject, "tries", HOUR_MS)).toMatchObject({ count: 2 })
        })
      ))

    it("returns the count without counting", () =>
      run(
        Effect.gen(function* () {
          const subject = newSubject()
          expect(yield* peeking(subject, "tries")).toEqual({ count: 0, remainingMs: 0 })
          const counted = yield* counting(subject, "tries", HOUR_MS)
          yield* counting(subject, "tries", HOUR_MS)
          for (let time = 0; time < 2; time++) {
            const peeked = yield* peeking(subject, "tries")
            expect(peeked.count).toBe(2)
            expect(peeked.remainingMs).toBeGreaterThan(0)
            expect(peeked.remainingMs).toBeLessThanOrEqual(counted.remainingMs)
          }
          expect(yield* peeking(subject, "calls")).toEqual({ count: 0, remainingMs: 0 })
        })
      ))

    it("returns the counts of several events in their order, also of those that never occurred or are named twice", () =>
      run(
        Effect.gen(function* () {
          const limiter = yield* RateLimiter
          const [subject, other] = [newSubject(), newSubject()]
          yield* counting(other, "tries", HOUR_MS)
          for (let time = 0; time < 2; time++) yield* counting(subject, "tries", HOUR_MS)
          const peeked = yield* limiter.peek([
            { subject, name: "tries" },
            { subject: other, name: "calls" },
            { subject: other, name: "tries" },
            { subject, name: "tries" }
          ])
          expect(peeked.map(({ count }) => count)).toEqual([2, 0, 1, 2])
          expect(peeked.map(({ remainingMs }) => remainingMs > 0)).toEqual([true, false, true, true])
          expect(yield* limiter.peek([])).toEqual([])
        })
      ))

    it("returns nothing of a window that has ended", () =>
      run(
        Effect.gen(function* () {
          const subject = newSubject()
          yield* counting(subject, "tries", 1)
          // By any clock, the window has ended before one of the next calls.
          for (let call = 0; call < 10_000; call += 1) {
            if ((yield* peeking(subject, "tries")).count === 0) return
          }
          return expect.unreachable("The window did not end.")
        })
      ))

    it("begins a new window with the first event after the one before has ended", () =>
      run(
        Effect.gen(function* () {
          const subject = newSubject()
          const count = counting(subject, "tries", 1)
          // By any clock, a window of a millisecond has ended before one of the next calls.
          for (let call = 0, before = 0; call < 10_000; call += 1) {
            const counted = yield* count
            if (counted.count <= before) return expect(counted.count).toBe(1)
            before = counted.count
          }
          return expect.unreachable("No window ended.")
        })
      ))
  })
