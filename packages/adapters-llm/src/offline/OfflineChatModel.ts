import {
  MODEL_FAILURES,
  type ModelFailure,
  readPassages,
  type ChatModel,
  type ChatModelRequest,
  defaultReplyLimits,
  estimateMessageTokens,
  ModelFailed,
  type ReplyLimits,
  type ReplyPart,
  replyStream
} from "@parley/core/adapter"
import type { ChatMessage, Usage } from "@parley/core"
import { setTimeout as sleep } from "node:timers/promises"

/** The user's newest message. */
const questionOf = (messages: ReadonlyArray<ChatMessage>): string =>
  messages.findLast((message) => message.role === "user" && readPassages(message.content) === undefined)?.content ?? ""

/** Behaviour of the offline model that tests and messages can request. Numbers of tokens are tokens of the reply. */
export interface OfflineBehaviour {
  /** The wait before each token, in milliseconds. */
  readonly tokenDelayMs?: number
  /** Fails with this reason after this many tokens; with zero, before the first one. */
  readonly fail?: { readonly reason: ModelFailure; readonly afterTokens: number }
  /** Sends this many tokens and then nothing, without ending. */
  readonly stallAfterTokens?: number
  /** Sends this many tokens and then closes the stream without an end mark. */
  readonly cutOffAfterTokens?: number
  /** Ends properly without any text. */
  readonly empty?: boolean
  /** Writes this many numbered tokens in place of an answer. */
  readonly speakTokens?: number
}

const DIRECTIVE =
  /!offline (?:(slow|tokens) (\d{1,6})|(empty)|(stall|cut-off)(?: after (\d{1,6}))?|fail ([a-z-]{1,20})(?: after (\d{1,6}))?)/g

const isFailure = (text: string): text is ModelFailure => MODEL_FAILURES.some((failure) => failure === text)

const one = (parts: RegExpMatchArray): OfflineBehaviour => {
  const [, count, amount, empty, halt, haltAfter, reason, failAfter] = parts
  if (count === "slow") return { tokenDelayMs: Number(amount) }
  if (count === "tokens") return { speakTokens: Number(amount) }
  if (empty !== undefined) return { empty: true }
  if (halt === "stall") return { stallAfterTokens: Number(haltAfter ?? 0) }
  if (halt === "cut-off") return { cutOffAfterTokens: Number(haltAfter ?? 0) }
  if (reason !== undefined && isFailure(reason)) return { fail: { reason, afterTokens: Number(failAfter ?? 0) } }
  return {}
}

/**
 * Returns the behaviour that a message requests, for testing a client: `!offline slow 200` (milliseconds for each
 * token), `!offline tokens 500`, `!offline empty`, `!offline stall after 3`, `!offline cut-off after 3`, `!offline fail
 * rate-limited after 3`. Without "after", the number is zero. A message may contain several requests.
 */
export const behaviourAskedFor = (message: string): OfflineBehaviour =>
  [...message.matchAll(DIRECTIVE)].reduce<OfflineBehaviour>((all, parts) => ({ ...all, ...one(parts) }), {})

/** An event of one reply. `produced` is the number of tokens so far. */
export interface OfflineEvent {
  readonly _tag: "opened" | "produced" | "closed"
  readonly produced: number
}

export interface OfflineChatModelOptions {
  readonly behaviour?: OfflineBehaviour
  /** Lets messages change the behaviour (`behaviourAskedFor`). For development and tests. */
  readonly directives?: boolean
  readonly limits?: Partial<ReplyLimits>
  /** Called for each token, and when the reply ends for any reason. */
  readonly observe?: (event: OfflineEvent) => void
}

/** Default wait before each token: long enough for people to see that a reply is streamed. */
const DEFAULT_TOKEN_DELAY_MS = 15

/** Matches one token of the model: a word or up to eight characters of it, with the white space before it. */
const TOKEN = /\s*\S{1,8}/gu

const MAX_ECHO_LENGTH = 120

const REAL_MODEL = "set OPENAI_API_KEY or ANTHROPIC_API_KEY on the server and start it again"

/**
 * Returns the offline model's answer: the sentences of the quoted passages that match the question, each in
 * quotation marks with the passage's number; or a sentence that it cannot answer. The same messages produce the same
 * answer.
 */
const offlineAnswer = async (messages: ReadonlyArray<ChatMessage>): Promise<string> => {
  // Loaded for the first answer, because a server with a real model does not need the stemmers of a dozen languages.
  const { bestQuotes, shorten } = await import("./bestQuotes.ts")
  const question = questionOf(messages)
  const asked = shorten(question.replace(/\s+/g, " ").trim(), MAX_ECHO_LENGTH)
  for (const { content } of messages.toReversed()) {
    const passages = readPassages(content)
    if (passages === undefined) continue
    const said = bestQuotes(question, passages).map(({ number, text }) => `“${text}” [${number}]`)
    if (said.length === 0) {
      return (
        `The passages of your documents that I was given do not mention what you ask: “${asked}”. ` +
        `I am the offline stand-in model and only match words; for real answers, ${REAL_MODEL}.`
      )
    }
    const standIn = "I am the offline stand-in model: I quote the sentences that match your words."
    return ["Your documents say:", ...said, `(${standIn} For real answers, ${REAL_MODEL}.)`].join("\n\n")
  }
  return (
    `This is the offline stand-in model. It has no knowledge of its own and cannot answer “${asked}”. ` +
    `Upload a document and ask about it, and I quote the sentences that match; for real answers, ${REAL_MODEL}.`
  )
}

const tokensOf = async ({ empty, speakTokens }: OfflineBehaviour, messages: ChatModelRequest["messages"]) => {
  if (empty === true) return []
  if (speakTokens !== undefined) {
    return Array.from({ length: speakTokens }, (_, index) => (index === 0 ? "1" : ` ${index + 1}`))
  }
  return (await offlineAnswer(messages)).match(TOKEN) ?? []
}

const failed = (model: string, reason: ModelFailure): ModelFailed =>
  new ModelFailed({
    model,
    reason,
    retryable: reason !== "refused",
    ...(reason === "rate-limited" ? { retryAfterMs: 1_000 } : {})
  })

const forever = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }))

interface Reply {
  readonly request: ChatModelRequest
  readonly behaviour: OfflineBehaviour
  readonly observe: (event: OfflineEvent) => void
}

async function* produce(reply: Reply, signal: AbortSignal): AsyncGenerator<ReplyPart> {
  const { behaviour, observe, request } = reply
  const delay = behaviour.tokenDelayMs ?? DEFAULT_TOKEN_DELAY_MS
  const all = await tokensOf(behaviour, request.messages)
  const tokens = all.slice(0, request.maxOutputTokens)
  let produced = 0
  observe({ _tag: "opened", produced })
  try {
    for (const text of [...tokens, undefined]) {
      if (behaviour.fail?.afterTokens === produced) throw failed(request.model.id, behaviour.fail.reason)
      if (behaviour.stallAfterTokens === produced) await forever(signal)
      if (behaviour.cutOffAfterTokens === produced) return
      if (text === undefined) break
      if (delay > 0) await sleep(delay, undefined, { signal })
      produced += 1
      observe({ _tag: "produced", produced })
      yield { _tag: "text-delta", text }
    }
    const usage: Usage = {
      freshInput: estimateMessageTokens(request.messages, undefined, request.model),
      cacheRead: 0,
      cacheWrite: 0,
      output: produced
    }
    yield { _tag: "end", reason: tokens.length < all.length ? "length" : "completed", usage }
  } finally {
    observe({ _tag: "closed", produced })
  }
}

/**
 * A model that needs no key and no network. It quotes the sentences of the passages that match the question, and always
 * says that it is a stand-in. The same messages produce the same reply. It streams token by token, observes the output
 * limit, reports its usage exactly, and can be configured to fail.
 */
export class OfflineChatModel implements ChatModel {
  readonly name = "offline"
  readonly isStandIn = true
  readonly #options: OfflineChatModelOptions

  constructor(options: OfflineChatModelOptions = {}) {
    this.#options = options
  }

  stream(request: ChatModelRequest) {
    const { behaviour, directives, limits, observe } = this.#options
    const asked = directives === true ? behaviourAskedFor(questionOf(request.messages)) : {}
    const reply: Reply = { request, behaviour: { ...behaviour, ...asked }, observe: observe ?? (() => undefined) }
    return replyStream<ReplyPart>({
      model: request.model.id,
      limits: { ...defaultReplyLimits, ...limits },
      ...(request.deadline === undefined ? {} : { deadline: request.deadline }),
      open: (signal) => produce(reply, signal),
      reader: () => ({ read: (part) => [part], finish: () => undefined }),
      failure: (cause) => new ModelFailed({ model: request.model.id, reason: "bad-answer", retryable: false, cause })
    })
  }
}
