import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { ModelFailed, type ReplyPart } from "../../src/models/ChatModel.ts"
import { READ_AHEAD, type ReplyReader, replyStream, type ReplySource } from "../../src/models/replyStream.ts"

/** The items of a fictional vendor. `mark` is its end mark, behind which it may still send `usage`. */
type Item =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "ping" }
  | { readonly kind: "mark" }
  | { readonly kind: "usage"; readonly output: number }

const text = (value: string): Item => ({ kind: "text", text: value })
const ping: Item = { kind: "ping" }
const mark: Item = { kind: "mark" }
const usage = (output: number): Item => ({ kind: "usage", output })

/** Has the event loop go round until everything that can go on has. */
const rounds = async (number = 20): Promise<void> => {
  for (let round = 0; round < number; round++) await new Promise(setImmediate)
}

const reader = (): ReplyReader<Item> => {
  let marked = false
  const end = (output: number | undefined) => ({
    _tag: "end" as const,
    reason: "completed" as const,
    usage: output === undefined ? undefined : { freshInput: 1, cacheRead: 0, cacheWrite: 0, output }
  })
  return {
    read: (item) => {
      if (item.kind === "text") return [{ _tag: "text-delta", text: item.text }]
      if (item.kind === "mark") marked = true
      return item.kind === "usage" ? [end(item.output)] : []
    },
    finish: () => (marked ? end(undefined) : undefined)
  }
}

const sourceOf = (open: ReplySource<Item>["open"]): ReplySource<Item> => ({
  model: "model-a",
  limits: { firstByteMs: 5_000, idleMs: 10_000, totalMs: 60_000, afterEndMs: 1_000 },
  open,
  reader,
  failure: (cause) => new ModelFailed({ model: "model-a", reason: "unavailable", retryable: true, cause })
})

/** Sends the items, yielding `hops` times before each, and then ends, fails, or stays silent. */
async function* sending(
  items: ReadonlyArray<Item>,
  hops: ReadonlyArray<number>,
  last: "end" | "fail" | "silence" = "end"
): AsyncGenerator<Item> {
  for (const [index, item] of items.entries()) {
    for (let hop = 0; hop < (hops[index % Math.max(1, hops.length)] ?? 0); hop++) await new Promise(setImmediate)
    yield item
  }
  if (last === "fail") throw new Error("connection lost")
  if (last === "silence") await new Promise(() => undefined)
}

const listen = (source: ReplySource<Item>) =>
  Effect.gen(function* () {
    const parts: Array<ReplyPart> = []
    const exit = yield* Effect.exit(
      Stream.runForEach(replyStream(source), (part) => Effect.sync(() => parts.push(part)))
    )
    const failure = Exit.isFailure(exit) ? (Cause.squash(exit.cause) as ModelFailed) : undefined
    return { parts, failure, said: parts.map((part) => (part._tag === "text-delta" ? part.text : "")).join("") }
  })

const hops = fc.array(fc.nat(2), { minLength: 1, maxLength: 5 })

/** A text cut anywhere, in characters' halves too. */
const cut = fc
  .tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }), fc.array(fc.nat(200), { maxLength: 20 }))
  .map(([whole, places]) => {
    const at = [...new Set(places.map((place) => place % (whole.length + 1)))].toSorted((a, b) => a - b)
    return { whole, pieces: [0, ...at].map((from, index) => whole.slice(from, at[index] ?? whole.length)) }
  })

describe("replyStream", () => {
  it("yields the same text and one end, for any cuts and timing of the text", () =>
    fc.assert(
      fc.asyncProperty(cut, hops, fc.boolean(), async ({ pieces, whole }, timing, told) => {
        const items = [...pieces.flatMap((piece) => [ping, text(piece)]), mark, ...(told ? [usage(3)] : [])]
        const heard = await Effect.runPromise(listen(sourceOf(() => sending(items, timing))))
        expect(heard.failure).toBeUndefined()
        expect(heard.said).toBe(whole.toWellFormed())
        expect(
          heard.parts.every((part) => part._tag !== "text-delta" || (part.text !== "" && part.text.isWellFormed()))
        ).toBe(true)
        expect(heard.parts.at(-1)).toMatchObject({ _tag: "end", usage: told ? { output: 3 } : undefined })
        expect(heard.parts.filter((part) => part._tag === "end")).toHaveLength(1)
      }),
      { numRuns: 200 }
    ))

  it("delivers what came before a failure at any position, and then the named failure", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(200), hops, async (count, timing) => {
        const items = Array.from({ length: count }, (_, index) => text(`${index} `))
        const heard = await Effect.runPromise(listen(sourceOf(() => sending(items, timing, "fail"))))
        expect(heard.said).toBe(items.map((item) => (item.kind === "text" ? item.text : "")).join(""))
        expect(heard.parts.some((part) => part._tag === "end")).toBe(false)
        expect(heard.failure).toMatchObject({ _tag: "ModelFailed", reason: "unavailable" })
      }),
      { numRuns: 60 }
    ))

  it("is cut off where the source ends before its end mark, at any position", () =>
    fc.assert(
      fc.asyncProperty(fc.nat(200), hops, async (count, timing) => {
        const items = Array.from({ length: count }, () => text("a"))
        const heard = await Effect.runPromise(listen(sourceOf(() => sending(items, timing))))
        expect(heard.said).toBe("a".repeat(count))
        expect(heard.failure).toMatchObject({ reason: "cut-off" })
      }),
      { numRuns: 60 }
    ))

  it.effect("delivers nothing after the end", () =>
    Effect.gen(function* () {
      const items = [text("a"), mark, usage(1), text("b"), usage(2)]
      const heard = yield* listen(sourceOf(() => sending(items, [0])))
      expect(heard).toMatchObject({ said: "a", failure: undefined })
      expect(heard.parts).toHaveLength(2)
    })
  )

  it.effect("is complete where the connection breaks behind the end mark", () =>
    Effect.gen(function* () {
      const heard = yield* listen(sourceOf(() => sending([text("a"), mark], [0], "fail")))
      expect(heard).toMatchObject({ said: "a", failure: undefined })
      expect(heard.parts.at(-1)).toMatchObject({ _tag: "end", usage: undefined })
    })
  )

  it.effect("names what is thrown while opening, and keeps a failure that already has a name", () =>
    Effect.gen(function* () {
      const thrown = yield* listen(sourceOf(() => Promise.reject(new Error("refused"))))
      expect(thrown.failure).toMatchObject({ reason: "unavailable" })
      const named = new ModelFailed({ model: "model-a", reason: "rate-limited", retryable: true, retryAfterMs: 5 })
      const kept = yield* listen(sourceOf(() => Promise.reject(named)))
      expect(kept.failure).toBe(named)
    })
  )

  const whenTimePasses = (source: ReplySource<Item>, ...steps: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(listen(source))
      for (const step of steps) {
        yield* Effect.promise(() => rounds())
        yield* TestClock.adjust(step as "1 second")
      }
      return yield* Fiber.join(fiber)
    })

  it.effect("stalls after silence as long as the limit, before the first words and within", () =>
    Effect.gen(function* () {
      for (const [items, ...steps] of [
        [[], "4 seconds", "1 second"],
        [[ping], "9 seconds", "1 second"],
        [[text("a"), text("b")], "9 seconds", "1 second"]
      ] as const) {
        const stalled = sourceOf(() => sending(items, [0], "silence"))
        const fiber = yield* Effect.forkChild(whenTimePasses(stalled, ...steps))
        const heard = yield* Fiber.join(fiber)
        expect(heard.failure).toMatchObject({ reason: "stalled", retryable: true })
        expect(heard.said).toBe(items.length < 2 ? "" : "ab")
      }
    })
  )

  it.effect("does not stall while anything comes, be it without text", () =>
    Effect.gen(function* () {
      const go: Array<() => void> = []
      async function* slow(): AsyncGenerator<Item> {
        for (const item of [ping, ping, text("a"), mark]) {
          await new Promise<void>((resolve) => go.push(resolve))
          yield item
        }
      }
      const fiber = yield* Effect.forkChild(listen(sourceOf(slow)))
      for (let step = 0; step < 4; step++) {
        yield* Effect.promise(() => rounds())
        yield* TestClock.adjust(step === 0 ? "4 seconds" : "8 seconds")
        go.shift()?.()
      }
      expect(yield* Fiber.join(fiber)).toMatchObject({ said: "a", failure: undefined })
    })
  )

  it.effect("stalls when the whole takes too long, although something always comes", () =>
    Effect.gen(function* () {
      async function* endless(): AsyncGenerator<Item> {
        for (;;) {
          await rounds(1)
          yield ping
        }
      }
      const heard = yield* whenTimePasses(sourceOf(endless), ...Array.from({ length: 8 }, () => "8 seconds"))
      expect(heard.failure).toMatchObject({ reason: "stalled" })
    })
  )

  it.effect("waits only shortly for figures behind the end mark", () =>
    Effect.gen(function* () {
      const heard = yield* whenTimePasses(
        sourceOf(() => sending([text("a"), mark], [0], "silence")),
        "2 seconds"
      )
      expect(heard).toMatchObject({ said: "a", failure: undefined })
      expect(heard.parts.at(-1)).toMatchObject({ _tag: "end", usage: undefined })
    })
  )

  it("yields ready parts in few steps, not one per token", async () => {
    const items = [...Array.from({ length: 1_000 }, () => text("a")), mark]
    const steps: Array<number> = []
    const count = (ready: ReadonlyArray<ReplyPart>) => Effect.sync(() => void steps.push(ready.length))
    await Effect.runPromise(Stream.runForEachArray(replyStream(sourceOf(() => sending(items, [0]))), count))
    expect(steps.reduce((sum, parts) => sum + parts, 0)).toBe(1_001)
    expect(steps.length).toBeLessThanOrEqual(1_000 / READ_AHEAD + 3)
  })

  it("loses nothing where its end comes while the reader is behind", async () => {
    for (const count of [READ_AHEAD - 1, READ_AHEAD, READ_AHEAD + 1, 3 * READ_AHEAD]) {
      const items = [...Array.from({ length: count }, (_, index) => text(`${index} `)), mark]
      let said = ""
      const slow = (ready: ReadonlyArray<ReplyPart>) =>
        Effect.promise(async () => {
          await rounds()
          for (const part of ready) said += part._tag === "text-delta" ? part.text : "."
        })
      await Effect.runPromise(Stream.runForEachArray(replyStream(sourceOf(() => sending(items, [0]))), slow))
      expect(said).toBe(`${Array.from({ length: count }, (_, index) => `${index} `).join("")}.`)
    }
  })

  it("reads at most so far ahead of a reader who waits", async () => {
    let sent = 0
    async function* counting(): AsyncGenerator<Item> {
      for (;;) {
        sent += 1
        yield text("a")
      }
    }
    const reading = Stream.runForEach(replyStream(sourceOf(counting)), () => Effect.never)
    const fiber = Effect.runFork(reading)
    await rounds(100)
    expect(sent).toBeGreaterThan(0)
    expect(sent).toBeLessThanOrEqual(2 * READ_AHEAD + 1)
    await Effect.runPromise(Fiber.interrupt(fiber))
  })

  it("aborts the signal and closes the source when it is left, wherever it is", async () => {
    for (const last of ["silence", "end"] as const) {
      let signal: AbortSignal | undefined
      let closed = 0
      async function* open(given: AbortSignal): AsyncGenerator<Item> {
        signal = given
        try {
          for (let index = 0; index < 10_000; index++) yield text("a")
          const never = new Promise((_, reject) => given.addEventListener("abort", () => reject(given.reason)))
          if (last === "silence") await never
        } finally {
          closed += 1
        }
      }
      const take = last === "silence" ? 100 : 1
      const left = replyStream(sourceOf(open)).pipe(Stream.take(take), Stream.runDrain)
      const fiber = Effect.runFork(last === "silence" ? Effect.andThen(left, Effect.never) : left)
      await rounds()
      await Effect.runPromise(Fiber.interrupt(fiber))
      expect(signal?.aborted).toBe(true)
      // The name by which vendors' libraries, and other models, distinguish an abort from a failure.
      expect(signal?.reason).toMatchObject({ name: "AbortError" })
      await rounds()
      expect(closed).toBe(1)
    }
  })

  it("leaves a source that opens only after it was left", async () => {
    let opened: ((source: AsyncIterable<Item>) => void) | undefined
    let closed = false
    const source = sourceOf(() => new Promise((resolve) => (opened = resolve)))
    const fiber = Effect.runFork(Stream.runDrain(replyStream(source)))
    await rounds()
    await Effect.runPromise(Fiber.interrupt(fiber))
    opened?.({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.resolve({ done: false, value: text("late") }),
        return: () => {
          closed = true
          return Promise.resolve({ done: true, value: undefined })
        }
      })
    })
    await rounds()
    expect(closed).toBe(true)
  })
})
