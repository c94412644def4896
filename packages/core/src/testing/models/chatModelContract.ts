import { Cause, Effect, Exit, Fiber, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, describe, expect, it } from "vitest"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import type { ChatModel, ChatModelRequest, ModelFailed, ModelFailure, ReplyPart } from "../../models/ChatModel.ts"
import { maxRequestTokens } from "../../models/messageTokens.ts"
import type { Model } from "../../models/Model.ts"

/**
 * The behaviour of the vendor behind a model. It sends numbered deltas, "1", " 2", " 3" and so on, each one token, and
 * observes the output limit of the request.
 */
export type ModelScenario =
  | { readonly _tag: "speak"; readonly deltas: number }
  | { readonly _tag: "fail"; readonly reason: ModelFailure; readonly afterDeltas: number }
  | { readonly _tag: "cut-off"; readonly afterDeltas: number }
  | { readonly _tag: "stall"; readonly afterDeltas: number }
  | { readonly _tag: "empty" }

/** A model whose vendor plays a scenario, and the records of that vendor. */
export interface StagedChatModel {
  readonly chatModel: ChatModel
  readonly model: Model
  /** Returns the number of deltas that the vendor has made so far. */
  produced(): number
  /** Returns the number of replies on which the vendor is working at the moment. */
  running(): number
}

export interface ChatModelStage {
  /**
   * Sets up the scenario. Time limits for silence are measured by Effect's clock, and are between a second and an hour.
   */
  stage(scenario: ModelScenario): Effect.Effect<StagedChatModel, never, Scope.Scope>
  /** The failures that the vendor can be made to show before its first delta. */
  readonly failuresBeforeFirst: ReadonlyArray<ModelFailure>
  /** The failures that the vendor can be made to show within a reply. */
  readonly failuresWithin: ReadonlyArray<ModelFailure>
  /** True if the vendor reports the tokens of the prompt before its first words. */
  readonly tellsInputEarly?: boolean
  /** The number of deltas of a reply that exceeds all buffers between the vendor and the test. */
  readonly endlessDeltas: number
}

/** Returns the text that the deltas of a scenario make. */
export const numberedText = (deltas: number): string =>
  Array.from({ length: deltas }, (_, index) => String(index + 1)).join(" ")

const messages: ReadonlyArray<ChatMessage> = [
  { role: "system", content: "Count." },
  { role: "user", content: "From one, please." },
  { role: "assistant", content: "To which number?" },
  { role: "user", content: "As far as you are told." }
]

interface Heard {
  readonly text: string
  readonly parts: ReadonlyArray<ReplyPart>
  readonly failure: ModelFailed | undefined
}

/** The maximum time that a test waits for a condition, because a busy machine may be slow. */
const PATIENCE_MS = 60_000

/** Waits until a condition is true. */
const until = async (condition: () => boolean): Promise<void> => {
  for (const end = performance.now() + PATIENCE_MS; !condition();) {
    if (performance.now() > end) throw new Error("It never came to pass.")
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Waits until a number has not changed for a while, or has reached its maximum. */
const standingStill = async (value: () => number, most: number): Promise<number> => {
  let last = value()
  let since = performance.now()
  await until(() => {
    if (value() !== last) {
      last = value()
      since = performance.now()
    }
    return last >= most || performance.now() - since > 150
  })
  return last
}

const textOf = (parts: ReadonlyArray<ReplyPart>): string =>
  parts.map((part) => (part._tag === "text-delta" ? part.text : "")).join("")

/** Tests the guarantees of a chat model of any vendor. `stage` is opened once in each test, and closed after it. */
export const chatModelContract = (name: string, stage: ChatModelStage): void => {
  describe(`${name} as a ChatModel`, () => {
    let scopes: Array<Scope.Closeable> = []
    afterEach(async () => {
      const open = scopes
      scopes = []
      for (const scope of open) await Effect.runPromise(Scope.close(scope, Exit.void))
    })

    const staged = async (scenario: ModelScenario): Promise<StagedChatModel> => {
      const scope = await Effect.runPromise(Scope.make())
      scopes.push(scope)
      return Effect.runPromise(stage.stage(scenario).pipe(Scope.provide(scope)))
    }
    const request = (under: StagedChatModel, maxOutputTokens = 4_000_000): ChatModelRequest => ({
      model: under.model,
      messages,
      maxOutputTokens
    })
    const hear = (under: StagedChatModel, parts: Array<ReplyPart>, maxOutputTokens?: number): Effect.Effect<Heard> =>
      Stream.runForEach(under.chatModel.stream(request(under, maxOutputTokens)), (part) =>
        Effect.sync(() => parts.push(part))
      ).pipe(
        Effect.exit,
        Effect.map((exit) => {
          const failure = Exit.isFailure(exit) ? (Cause.squash(exit.cause) as ModelFailed) : undefined
          return { text: textOf(parts), parts, failure }
        })
      )
    const listen = (under: StagedChatModel, maxOutputTokens?: number): Promise<Heard> =>
      Effect.runPromise(hear(under, [], maxOutputTokens))
    /** Reads until this text has arrived, advances the clock by an hour, and returns the outcome. */
    const listenOn = (under: StagedChatModel, said: string): Promise<Heard> =>
      Effect.gen(function* () {
        const parts: Array<ReplyPart> = []
        const hearing = yield* Effect.forkChild(hear(under, parts), { startImmediately: true })
        yield* Effect.promise(() => until(() => under.running() === 1 && textOf(parts) === said))
        yield* TestClock.adjust("1 hour")
        return yield* Fiber.join(hearing)
      }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

    describe("a reply", () => {
      it.each([1, 2, 63, 64, 65, 500])("of %i deltas arrives whole, in order, with exactly one end", async (deltas) => {
        const heard = await listen(await staged({ _tag: "speak", deltas }))
        expect(heard.failure).toBeUndefined()
        expect(heard.text).toBe(numberedText(deltas))
        expect(heard.parts.filter((part) => part._tag === "end")).toHaveLength(1)
        expect(heard.parts.at(-1)).toMatchObject({ _tag: "end", reason: "completed" })
      })

      it("has no empty deltas", async () => {
        const { parts } = await listen(await staged({ _tag: "speak", deltas: 50 }))
        expect(parts.every((part) => part._tag !== "text-delta" || part.text !== "")).toBe(true)
      })

      it("reports the prompt's count once, before its first words, or with its end", async () => {
        const { parts } = await listen(await staged({ _tag: "speak", deltas: 20 }))
        const early = parts.flatMap((part) => (part._tag === "input-usage" ? [part.usage] : []))
        expect(early).toHaveLength(stage.tellsInputEarly === true ? 1 : 0)
        if (stage.tellsInputEarly !== true) return
        expect(parts[0]?._tag).toBe("input-usage")
        const end = parts.at(-1)
        expect(end?._tag === "end" ? end.usage : undefined).toMatchObject(early[0] ?? {})
      })

      it("reports usage in disjoint counters within the bound that credits are held for", async () => {
        const { parts } = await listen(await staged({ _tag: "speak", deltas: 20 }), 100)
        const end = parts.at(-1)
        if (end?._tag !== "end" || end.usage === undefined) throw new Error("no usage was reported")
        const { cacheRead, cacheWrite, freshInput, output } = end.usage
        for (const count of [freshInput, cacheRead, cacheWrite, output]) {
          expect(Number.isSafeInteger(count) && count >= 0).toBe(true)
        }
        expect(freshInput + cacheRead + cacheWrite).toBeGreaterThan(0)
        expect(freshInput + cacheRead + cacheWrite).toBeLessThanOrEqual(maxRequestTokens(messages))
        expect(output).toBe(20)
      })

      it.each([1, 7, 50])("does not outgrow an output limit of %i and says that it was cut", async (limit) => {
        const { parts, text } = await listen(await staged({ _tag: "speak", deltas: 51 }), limit)
        expect(text).toBe(numberedText(limit))
        expect(parts.at(-1)).toMatchObject({ _tag: "end", reason: "length", usage: { output: limit } })
      })

      it("does not mix with another one at the same time", async () => {
        const under = await staged({ _tag: "speak", deltas: 200 })
        const both = await Promise.all([listen(under), listen(under)])
        expect(both.map((heard) => heard.text)).toEqual([numberedText(200), numberedText(200)])
      })

      it("that says nothing is a failure", async () => {
        const heard = await listen(await staged({ _tag: "empty" }))
        expect(heard).toMatchObject({ text: "", failure: { _tag: "ModelFailed", reason: "empty" } })
        expect(heard.parts.some((part) => part._tag === "end")).toBe(false)
      })
    })

    describe("a failure", () => {
      it.each(stage.failuresBeforeFirst)("before the first delta is named: %s", async (reason) => {
        const under = await staged({ _tag: "fail", reason, afterDeltas: 0 })
        const heard = await listen(under)
        expect(heard.parts.filter((part) => part._tag !== "input-usage")).toEqual([])
        expect(heard.failure).toMatchObject({ _tag: "ModelFailed", reason, model: under.model.id })
      })

      it.each(stage.failuresWithin)("within a reply is named and follows the delivered text: %s", async (reason) => {
        const heard = await listen(await staged({ _tag: "fail", reason, afterDeltas: 3 }))
        expect(heard.failure).toMatchObject({ _tag: "ModelFailed", reason })
        expect(heard.parts.some((part) => part._tag === "end")).toBe(false)
        expect(numberedText(3).startsWith(heard.text)).toBe(true)
      })

      it.each([0, 1, 5])(
        "is a failure like that of a stream without an end mark, after %i deltas",
        async (afterDeltas) => {
          const heard = await listen(await staged({ _tag: "cut-off", afterDeltas }))
          expect(heard.failure).toMatchObject({ _tag: "ModelFailed", reason: "cut-off" })
          expect(heard.text).toBe(numberedText(afterDeltas))
        }
      )

      it.each([0, 1, 5])("is what silence is, after %i deltas, and the provider is left", async (afterDeltas) => {
        const under = await staged({ _tag: "stall", afterDeltas })
        const heard = await listenOn(under, numberedText(afterDeltas))
        expect(heard.failure).toMatchObject({ _tag: "ModelFailed", reason: "stalled" })
        expect(heard.text).toBe(numberedText(afterDeltas))
        await until(() => under.running() === 0)
      })
    })

    describe("leaving", () => {
      it("after the first words stops the provider", async () => {
        const under = await staged({ _tag: "speak", deltas: stage.endlessDeltas })
        const left = under.chatModel.stream(request(under)).pipe(Stream.take(1), Stream.runDrain)
        await Effect.runPromise(left)
        await until(() => under.running() === 0)
        expect(under.produced()).toBeLessThan(stage.endlessDeltas)
      })

      it("while the provider is silent stops it", async () => {
        const under = await staged({ _tag: "stall", afterDeltas: 0 })
        const fiber = Effect.runFork(Stream.runDrain(under.chatModel.stream(request(under))))
        await until(() => under.running() === 1)
        await Effect.runPromise(Fiber.interrupt(fiber))
        await until(() => under.running() === 0)
      })
    })

    it("a reader who waits holds the provider back", async () => {
      const under = await staged({ _tag: "speak", deltas: stage.endlessDeltas })
      const reading = Stream.runForEach(under.chatModel.stream(request(under)), () => Effect.never)
      const fiber = Effect.runFork(reading)
      await until(() => under.produced() > 0)
      expect(await standingStill(under.produced, stage.endlessDeltas)).toBeLessThan(stage.endlessDeltas)
      await Effect.runPromise(Fiber.interrupt(fiber))
    })
  })
}
