import type { ChatModel } from "@parley/core/adapter"
import { Cause, Effect, Exit, Fiber, Layer, Logger, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it, vi } from "vitest"
import type { Play } from "./FakeVendor.ts"
import { PATIENCE } from "./hearing.ts"
import { untilRead, withVendor } from "./listen.ts"
import { head, type Wire, wires } from "./wires.ts"

const SECRET = "a person's own question"

/** A vendor that answers while `speaks` is true, and otherwise holds each request without a byte. */
const stage = (wire: Wire) => {
  const state = { speaks: false }
  const play: Play = async (connection) => {
    if (!state.speaks) return connection.gone
    await connection.write(head() + wire.start + wire.delta("Hello") + wire.end("completed", { input: 1, output: 1 }))
    connection.end()
  }
  return { play, state }
}

const ask = (chatModel: ChatModel, wire: Wire) =>
  chatModel.stream({ model: wire.model, messages: [{ role: "user", content: SECRET }], maxOutputTokens: 1_000 }).pipe(
    Stream.runDrain,
    Effect.exit,
    Effect.map((exit) => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : "answered"))
  )

describe.each(wires)("$name", (wire) => {
  /** Runs a test on the test's clock. `during` asks, and lets time pass once the vendor has as many requests. */
  const played = (
    test: (with_: {
      readonly during: (seconds: number, requests: number) => Effect.Effect<unknown>
      readonly state: { speaks: boolean }
      readonly requests: () => ReadonlyArray<Readonly<Record<string, unknown>>>
    }) => Effect.Effect<void>,
    more: Parameters<Wire["connect"]>[1] = {}
  ) => {
    const { play, state } = stage(wire)
    return withVendor(play, (url, vendor) => {
      const chatModel = wire.connect(url, { retry: { retries: 2, baseDelayMs: 1, maxDelayMs: 10_000 }, ...more })
      const during = Effect.fnUntraced(function* (seconds: number, requests: number) {
        const asking = yield* Effect.forkChild(ask(chatModel, wire), { startImmediately: true })
        yield* Effect.promise(() => vi.waitFor(() => expect(vendor.requests.length).toBe(requests), PATIENCE))
        yield* TestClock.adjust(`${seconds} seconds`)
        if (state.speaks) yield* Effect.promise(untilRead)
        return yield* Fiber.join(asking)
      })
      const requests = () => vendor.requests.map(({ body }) => body)
      return Effect.runPromise(
        Effect.provide(test({ during, requests, state }), Layer.mergeAll(TestClock.layer(), Logger.layer([])))
      )
    })
  }

  it("that is silent is given up after 20 seconds, and not asked again", () =>
    played(({ during, requests }) =>
      Effect.gen(function* () {
        expect(yield* during(20, 1)).toMatchObject({ _tag: "ModelFailed", reason: "stalled", retryAfterMs: 5_000 })
        expect(requests()).toHaveLength(1)
      })
    ))

  it("that was silent for 20 seconds is down: requests are refused within half a second, and none is sent", () =>
    played(
      ({ during, requests }) =>
        Effect.gen(function* () {
          for (const request of [1, 2, 3]) {
            expect(yield* during(8, request)).toMatchObject({ reason: "stalled" })
          }
          expect(yield* during(0.5, 4)).toMatchObject({ reason: "stalled", retryAfterMs: 5_000 })
          expect(yield* during(0.5, 4)).toMatchObject({ reason: "stalled", retryAfterMs: 5_000 })
          // The fourth request is the probe: it contains nothing of a person's question, and costs next to nothing.
          const probe = requests()[3] ?? {}
          expect(JSON.stringify(probe)).not.toContain(SECRET)
          expect(wire.limitOf(probe)).toBe(1)
        }),
      { limits: { firstByteMs: 8_000 } }
    ))

  it("that answers a probe is up again, and its next request is answered", () =>
    played(({ during, requests, state }) =>
      Effect.gen(function* () {
        yield* during(20, 1)
        expect(yield* during(0.5, 2)).toMatchObject({ reason: "stalled" })
        yield* TestClock.adjust("5 seconds")
        state.speaks = true
        expect(yield* during(0, 4)).toBe("answered")
        expect(JSON.stringify(requests()[3])).toContain(SECRET)
      })
    ))

  it("has as long as it was given for its first byte, and counts as silent only after that", () =>
    played(
      ({ during }) =>
        Effect.gen(function* () {
          expect(yield* during(60, 1)).toMatchObject({ reason: "stalled" })
          expect(yield* during(0.5, 2)).toMatchObject({ reason: "stalled" })
        }),
      { limits: { firstByteMs: 60_000 } }
    ))
})
