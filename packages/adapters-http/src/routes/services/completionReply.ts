import type { Reply } from "@parley/core/adapter"
import type { ReplyCost } from "@parley/core/effect"
import { Effect, Schema, Stream } from "effect"
import { openAiFailures } from "../../problems/openAiFailures.ts"
import { problemFrom } from "../../problems/Problem.ts"
import type { Coded } from "../../problems/problemTable.ts"
import { choice, constant, listOf, named, text, whole } from "../fields.ts"

const CompletionUsage = named("CompletionUsage", "The tokens of a reply and their price.", {
  prompt_tokens: whole("The tokens of the conversation."),
  completion_tokens: whole("The tokens of the reply."),
  total_tokens: whole("Both together."),
  prompt_tokens_details: Schema.Struct({
    cached_tokens: whole("Those that the provider read from its cache.")
  }).annotate({ description: "The parts of `prompt_tokens`." }),
  credits: whole("The charged credits. OpenAI's protocol does not have this field.")
})

const CompletionChoice = named("CompletionChoice", "The reply.", {
  index: whole("Always 0."),
  message: Schema.Struct({
    role: constant("assistant", "The author."),
    content: text("The text of the reply."),
    refusal: Schema.Null.annotate({ description: "Always null." })
  }).annotate({ description: "The message of the model." }),
  logprobs: Schema.Null.annotate({ description: "Always null." }),
  finish_reason: choice(["stop", "length"], "`length`: the reply reached the limit of its tokens.")
})

/** A reply in one piece, in the form of OpenAI's protocol. */
export const CompletionBody = named("Completion", "A reply in the form of OpenAI's protocol.", {
  id: text("The id of the reply."),
  object: constant("chat.completion", "The kind of the object."),
  created: whole("When it was asked for, in Unix seconds."),
  model: text("The model that answered: the requested one, or its fallback if that one failed."),
  choices: listOf(CompletionChoice, "One reply."),
  usage: Schema.optionalKey(CompletionUsage).annotate({
    description: "Left out if the storage did not report the charge in time."
  })
})

/** A reply, with an effect that looks up its cost after the reply has ended. */
export interface StartedCompletion {
  readonly reply: Reply
  /** Unix seconds. */
  readonly created: number
  /** Reads the cost; undefined if the charge is not stored yet. */
  readonly cost: Effect.Effect<ReplyCost | undefined>
}

const headOf = ({ created, reply: { messageId, model } }: StartedCompletion) => ({
  id: `chatcmpl-${messageId}`,
  created,
  model
})

const finishOf = (cost: ReplyCost | undefined) => (cost?.receipt.ended === "length" ? "length" : "stop")

const usageOf = ({ credits, receipt: { usage } }: ReplyCost): typeof CompletionUsage.Type => {
  const prompt = usage.freshInput + usage.cacheRead + usage.cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    credits
  }
}

/** The complete reply as JSON, after the reply has ended. Fails if the reply fails. */
export const wholeCompletion = Effect.fnUntraced(function* (started: StartedCompletion) {
  const content = yield* Stream.mkString(started.reply.text)
  const cost = yield* started.cost
  const body: typeof CompletionBody.Type = {
    ...headOf(started),
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content, refusal: null },
        logprobs: null,
        finish_reason: finishOf(cost)
      }
    ],
    ...(cost === undefined ? {} : { usage: usageOf(cost) })
  }
  return JSON.stringify(body)
})

const HALF_AT_END = /[\ud800-\udbff]$/

/**
 * The same text in pieces that end between characters: half a surrogate pair waits for the other half, because not
 * every client joins them again.
 */
const inWholeCharacters = <E>(text: Stream.Stream<string, E>): Stream.Stream<string, E> =>
  text.pipe(
    Stream.mapAccum(
      () => "",
      (half, piece: string) => {
        const all = half + piece
        const rest = HALF_AT_END.exec(all)?.[0] ?? ""
        const whole = all.slice(0, all.length - rest.length)
        return [rest, whole === "" ? [] : [whole]] as const
      }
    )
  )

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`

/**
 * The reply as server-sent events. Only a complete reply ends with `[DONE]`. After a failure an event with the error is
 * sent, and the stream fails, which breaks the connection.
 */
export const streamedCompletion = (
  started: StartedCompletion,
  { includesUsage, requestId }: { readonly includesUsage: boolean; readonly requestId: string }
): Stream.Stream<string, Coded> => {
  const head = { ...headOf(started), object: "chat.completion.chunk" }
  const noUsage = includesUsage ? { usage: null } : {}
  const chunk = (delta: object, finish_reason: "stop" | "length" | null = null) =>
    event({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...noUsage })
  const ending = Effect.map(started.cost, (cost) => {
    const usage = includesUsage && cost !== undefined ? event({ ...head, choices: [], usage: usageOf(cost) }) : ""
    return `${chunk({}, finishOf(cost))}${usage}data: [DONE]\n\n`
  })
  return Stream.make(chunk({ role: "assistant", content: "" })).pipe(
    Stream.concat(Stream.map(inWholeCharacters(started.reply.text), (content) => chunk({ content }))),
    Stream.concat(Stream.fromEffect(ending)),
    Stream.catch((error) =>
      Stream.concat(Stream.make(event(openAiFailures.bodyOf(problemFrom(error, requestId)))), Stream.fail(error))
    )
  )
}
