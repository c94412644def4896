import { Effect, Stream } from "effect"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import {
  type ChatModel,
  type ChatModelRequest,
  ModelFailed,
  type ModelFailure,
  type ReplyPart
} from "../../models/ChatModel.ts"
import type { Usage } from "../../models/Usage.ts"

/** A model's answer to one request. */
export interface TestAnswer {
  /** The text in the pieces in which it arrives. */
  readonly texts: ReadonlyArray<string>
  /** The reported usage, unless it is that of a short reply. */
  readonly usage?: Partial<Usage>
  /** The failure after the texts; without it, the reply is complete. */
  readonly failure?: ModelFailure
}

/** The default usage of a reply. */
const SHORT: Usage = { freshInput: 100, cacheRead: 0, cacheWrite: 0, output: 50 }

/**
 * A model with scripted answers, one for each request, in order. Without an answer for a request, it repeats the
 * question. It records its requests.
 */
export class TestModel implements ChatModel {
  readonly name = "scripted"
  readonly #answers: Array<TestAnswer> = []
  readonly #asked: Array<ChatModelRequest> = []

  /** All requests so far, oldest first: the model, the prompt and its limits. */
  get asked(): ReadonlyArray<ChatModelRequest> {
    return this.#asked
  }

  /** Sets the answer to the next request that has none yet. */
  says(text: string | ReadonlyArray<string>, usage: Partial<Usage> = {}): this {
    this.#answers.push({ texts: typeof text === "string" ? [text] : text, usage })
    return this
  }

  /** Makes the next request without an answer fail with this reason, after the given texts. */
  fails(failure: ModelFailure, after: ReadonlyArray<string> = []): this {
    this.#answers.push({ texts: after, failure })
    return this
  }

  stream(request: ChatModelRequest): Stream.Stream<ReplyPart, ModelFailed> {
    return Stream.suspend(() => {
      this.#asked.push(request)
      const answer = this.#answers.shift() ?? { texts: [questionOf(request.messages)] }
      const texts = Stream.fromIterable(answer.texts.map((text): ReplyPart => ({ _tag: "text-delta", text })))
      return Stream.concat(texts, endOf(request, answer))
    })
  }
}

const questionOf = (messages: ReadonlyArray<ChatMessage>): string =>
  messages.findLast(({ role }) => role === "user")?.content ?? ""

const endOf = ({ model }: ChatModelRequest, { failure, usage }: TestAnswer): Stream.Stream<ReplyPart, ModelFailed> =>
  failure === undefined
    ? Stream.make({ _tag: "end", reason: "completed", usage: { ...SHORT, ...usage } })
    : Stream.fromEffect(Effect.fail(new ModelFailed({ model: model.id, reason: failure, retryable: false })))
