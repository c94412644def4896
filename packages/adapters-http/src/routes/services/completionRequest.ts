import { MAX_MESSAGES } from "@parley/core/effect"
import { UserId } from "@parley/core"
import { Schema } from "effect"
import { choice, constant, named, text } from "../fields.ts"

/** Text that every store and model accepts. */
const Words = Schema.String.annotate({ description: "The text." }).check(
  Schema.makeFilter(
    (value: string) =>
      (value.isWellFormed() && !value.includes("\0")) || "Expected a text without NUL and without lone surrogates"
  )
)

const TextPart = named("CompletionTextPart", "A part of a message. Images, audio and files are not supported.", {
  type: constant("text", "The kind of the part."),
  text: Words
})

const INSTRUCTING: ReadonlyArray<string> = ["system", "developer"]

const Message = named("CompletionMessage", "A message of the conversation.", {
  role: choice(
    ["system", "developer", "user", "assistant"],
    "The author. Messages of `system` and `developer` are instructions, which come before all others."
  ),
  content: Schema.Union([Words, Schema.Array(TextPart)]).annotate({
    description: "The text, or its parts, which are joined by line breaks."
  })
})
type Message = typeof Message.Type

const textOf = ({ content }: Message): string =>
  typeof content === "string" ? content : content.map((part) => part.text).join("\n")

const endsWithQuestion = (messages: ReadonlyArray<Message>) => {
  const last = messages.findLast(({ role }) => !INSTRUCTING.includes(role))
  if (last?.role !== "user") return "Expected the last message besides instructions to have the role user"
  return textOf(last).trim() !== "" || "Expected the last message to say something"
}

/**
 * A parameter of OpenAI's protocol that Parley does not support. It is refused unless its value asks for the default
 * behaviour.
 */
const unsupported = (what: string, isHarmless: (value: unknown) => boolean) =>
  Schema.optionalKey(
    Schema.Unknown.check(
      Schema.makeFilter((value: unknown) => value === null || isHarmless(value) || `Not supported here: ${what}`)
    )
  ).annotateKey({ description: `Not supported: ${what}.` })

const isEmpty = (value: unknown): boolean =>
  value === "" || (typeof value === "object" && value !== null && Object.keys(value).length === 0)

const isOnlyText = (value: unknown): boolean => Array.isArray(value) && value.length === 1 && value[0] === "text"

const isTextFormat = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "type" in value && value.type === "text"

const isNoChoice = (value: unknown): boolean => value === "none" || value === "auto"

const UNSUPPORTED = {
  n: unsupported("more than one answer to a request; leave it out or send 1", (value) => value === 1),
  tools: unsupported("calls of tools; leave it out", isEmpty),
  tool_choice: unsupported("calls of tools; leave it out", isNoChoice),
  functions: unsupported("calls of functions; leave it out", isEmpty),
  function_call: unsupported("calls of functions; leave it out", isNoChoice),
  response_format: unsupported("another form than text; ask for the form in a message", isTextFormat),
  logprobs: unsupported("probabilities of tokens; leave it out", (value) => value === false),
  top_logprobs: unsupported("probabilities of tokens; leave it out", (value) => value === 0),
  logit_bias: unsupported("biased tokens; leave it out", isEmpty),
  stop: unsupported("texts that end the reply; leave it out, and cut the reply yourself", isEmpty),
  audio: unsupported("spoken replies; leave it out", isEmpty),
  modalities: unsupported("other replies than text; leave it out", isOnlyText),
  web_search_options: unsupported("a search of the web; leave it out", () => false)
}

const Limit = Schema.optionalKey(
  Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })))
)

/** The body of a completion. Parameters that are not listed here, such as `temperature`, are ignored. */
export const CompletionRequest = named("CompletionRequest", "A conversation to answer, in OpenAI's protocol.", {
  model: text("A model of GET /v1/models.").annotateKey({
    messageMissingKey: "Expected the id of a model of GET /v1/models"
  }),
  user: UserId.annotate({ description: "The person who pays, as your identity provider names them." }).annotateKey({
    messageMissingKey:
      "Expected the person who pays: send their id, as your identity provider names them, in the field user"
  }),
  messages: Schema.Array(Message)
    .annotate({
      description: "The whole conversation. The last message besides instructions is the new one of the `user`."
    })
    .check(
      Schema.isMaxLength(MAX_MESSAGES, { message: `Expected at most ${MAX_MESSAGES} messages` }),
      Schema.makeFilter(endsWithQuestion)
    ),
  stream: Schema.optionalKey(Schema.NullOr(Schema.Boolean)).annotate({
    description: "True to get the reply as server-sent events while it is written."
  }),
  stream_options: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        include_usage: Schema.optionalKey(Schema.NullOr(Schema.Boolean)).annotate({
          description: "True to get the usage and the charged credits in the event before the last one."
        })
      })
    )
  ).annotate({ description: "Options of the stream." }),
  max_completion_tokens: Limit.annotate({
    description: "The most tokens of the reply: a lower limit holds fewer credits. The model's own limit counts, too."
  }),
  max_tokens: Limit.annotate({ description: "The older name of `max_completion_tokens`; the lower one counts." }),
  ...UNSUPPORTED
})
export type CompletionRequest = typeof CompletionRequest.Type

/** The conversation in Parley's form: the instructions apart from the messages. */
export const conversationOf = ({ messages }: CompletionRequest) => {
  const instructions: Array<string> = []
  const said: Array<{ readonly role: "user" | "assistant"; readonly content: string }> = []
  for (const message of messages) {
    const content = textOf(message)
    if (message.role === "user" || message.role === "assistant") said.push({ role: message.role, content })
    else instructions.push(content)
  }
  return { instructions: instructions.join("\n\n"), messages: said }
}

/** The largest number of tokens that the reply may have; undefined if the request sets no limit. */
export const outputLimitOf = (request: CompletionRequest): number | undefined => {
  const limits = [request.max_completion_tokens, request.max_tokens].filter((limit) => typeof limit === "number")
  return limits.length === 0 ? undefined : Math.min(...limits)
}
