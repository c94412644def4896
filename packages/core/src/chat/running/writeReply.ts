import { Effect, Fiber, type Scope } from "effect"
import { failureFields } from "../../storage/failureFields.ts"
import { HoldTtl } from "../../credits/holds/HoldTtl.ts"
import { Tokenizer } from "../../tokens/Tokenizer.ts"
import type { ReplyText } from "./ReplyText.ts"
import type { ReplyName, RunningReplies } from "./RunningReplies.ts"

/** How long text waits until it is written, and how often it is looked whether a reply shall end. */
const WRITE_MS = 250
const LOOK_MS = 1_000
/** How soon the chat of a first turn is looked for, which is stored at this moment; then later and later. */
const FIRST_MS = 10

const HIGH_SURROGATE = /[\ud800-\udbff]$/

export interface WritingInput {
  readonly replies: RunningReplies["Service"]
  readonly reply: ReplyName
  readonly text: Pick<ReplyText<unknown>, "from" | "begun">
  /** The model that writes it, as far as that is known. */
  readonly model: () => string
  /** The chat is there already, and not only once the first turn is stored. */
  readonly chatExists: boolean
  /** Ends the reply: its reader asked for it, or its chat was deleted. */
  readonly stop: Effect.Effect<void>
}

/** The writing of a reply for other processes. */
export interface WrittenReply {
  /** The tokens of what is stored, as they are estimated: what is charged should this process die. */
  readonly tokens: () => number
  /** Writes nothing more; resolves once no write is under way. */
  readonly finish: Effect.Effect<void>
}

/**
 * Writes a growing reply to the store, a few times a second where it grows, until it is finished or the scope closes, and
 * lets it live on. A write that fails is made again with what came meanwhile.
 */
export const writeReply = Effect.fnUntraced(function* (
  input: WritingInput
): Effect.fn.Return<WrittenReply, never, Scope.Scope> {
  const { chatExists, model, replies, reply, stop, text } = input
  const ttlMs = yield* HoldTtl
  const count = (yield* Tokenizer).countGrowing()
  const lookMs = Math.min(LOOK_MS, Math.ceil(ttlMs / 4))
  let stored = ""
  let counted = { units: 0, tokens: 0 }
  let wasThere = chatExists
  let finished = false

  /** What is new; half a character waits for its other half. */
  const news = () => text.from(stored.length).replace(HIGH_SURROGATE, "")
  const write = Effect.gen(function* () {
    const added = news()
    const written = yield* replies.write({ ...reply, model: model(), start: stored.length, text: added, ttlMs })
    if (written === undefined) return wasThere ? yield* stop : undefined
    wasThere = true
    // Less than expected where the reply was taken for dead: then it is written again from there.
    stored = written.length === stored.length + added.length ? stored + added : text.from(0).slice(0, written.length)
    if (written.stopAsked) yield* stop
  }).pipe(
    Effect.uninterruptible,
    Effect.catch((failed) =>
      Effect.annotateLogs(
        Effect.logWarning("A reply that goes on could not be written; trying again."),
        failureFields(failed)
      )
    )
  )
  const loop = Effect.gen(function* () {
    if (!chatExists) yield* Effect.exit(text.begun)
    let waited = lookMs
    let pause = FIRST_MS
    while (!finished) {
      if (waited >= lookMs || news() !== "") {
        yield* write
        waited = 0
      }
      pause = wasThere ? WRITE_MS : Math.min(WRITE_MS, pause * 2)
      yield* Effect.sleep(pause)
      waited += pause
    }
  })
  const writing = yield* Effect.forkScoped(Effect.interruptible(loop))
  return {
    tokens: () => {
      // What was taken for dead is counted anew; a growing text goes on from where it was counted.
      if (counted.units < stored.length) counted = { units: stored.length, tokens: count(stored) }
      return counted.tokens
    },
    finish: Effect.suspend(() => {
      finished = true
      return Effect.asVoid(Fiber.interrupt(writing))
    })
  }
})
