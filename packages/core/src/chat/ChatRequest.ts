import { Effect, Schema } from "effect"
import { ROLES } from "../models/ChatMessage.ts"
import { issuesOf } from "../validation/issuesOf.ts"
import { InvalidChatRequest } from "./errors.ts"
import { uniqueIds } from "../documents/searching/findReadableDocuments.ts"
import { MAX_MESSAGE_IMAGES } from "./images/Image.ts"
import { withoutBlanks } from "./prompt/prompt.ts"
import { DOCUMENT_TYPES } from "../documents/documentTypes.ts"
import { DocumentFilter } from "./sources/findSources.ts"

/** The maximum number of messages in one request; `MAX_DOCUMENTS` is that of documents. */
export const MAX_MESSAGES = 1_000
export const MAX_DOCUMENTS = 1_000
const TOO_MANY_MESSAGES = `Expected at most ${MAX_MESSAGES} messages`
const TOO_MANY_DOCUMENTS = `Expected at most ${MAX_DOCUMENTS} documents`

/** A UUID in the text form of RFC 9562, any version. */
export const Uuid = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i, {
    message: "Expected a UUID"
  })
)

/** Text that Postgres and every model accept: it contains no NUL and no unpaired surrogate. */
const Text = Schema.String.annotate({ description: "The text of the message." }).check(
  Schema.makeFilter(
    (value: string) =>
      (value.isWellFormed() && !value.includes("\0")) || "Expected a text without NUL and without lone surrogates"
  )
)

const Message = Schema.Struct({
  role: Schema.Literals(ROLES).annotate({ description: "The author of the message." }),
  content: Text,
  imageIds: Schema.optionalKey(
    Schema.Array(Uuid)
      .check(Schema.isMaxLength(MAX_MESSAGE_IMAGES, { message: `Expected at most ${MAX_MESSAGE_IMAGES} images` }))
      .annotate({
        description: `Images of POST /api/images that a new message of the user has: at most ${MAX_MESSAGE_IMAGES}. The model must be one that sees images.`
      })
  )
}).annotate({ identifier: "ChatMessage", description: "A message of a chat request." })

/** The body of `POST /api/chat`. Unknown fields are ignored. */
export const ChatRequest = Schema.Struct({
  messages: Schema.Array(Message)
    .annotate({
      description:
        "The messages; the last one is the new one of the `user`. In a stored chat only those after the last `assistant` are new. Empty for another version of the reply to `parentMessageId`."
    })
    .check(
      Schema.isMaxLength(MAX_MESSAGES, { message: TOO_MANY_MESSAGES }),
      Schema.makeFilter((messages: ReadonlyArray<typeof Message.Type>) => {
        const last = messages.at(-1)
        if (last === undefined) return true
        if (last.role !== "user") return "Expected the last message to have the role user"
        return last.content.trim() !== "" || "Expected the last message to say something"
      })
    ),
  chatId: Schema.optionalKey(Uuid.annotate({ description: "The chat to continue; a new one begins without it." })),
  parentMessageId: Schema.optionalKey(
    Schema.NullOr(Uuid).annotate({
      description:
        "The message of the chat after which the first new one stands, so that both it and its earlier followers stay: the end of the newest branch unless given; null for another first message. If it is a reply that is being written, the new message stands after the question of that reply. With empty `messages` it names a message of the `user`, whose reply gets another version."
    })
  ),
  modelId: Schema.optionalKey(
    Schema.String.annotate({ description: "A model of GET /api/models; the first one unless given." })
  ),
  documentIds: Schema.optionalKey(
    Schema.Array(Uuid)
      .check(Schema.isMaxLength(MAX_DOCUMENTS, { message: TOO_MANY_DOCUMENTS }))
      .annotate({
        description: "The documents that the reply may read; none unless given."
      })
  ),
  documentFilter: Schema.optionalKey(DocumentFilter),
  projectId: Schema.optionalKey(
    Uuid.annotate({ description: "The project in which a new chat begins; a chat that exists keeps its own." })
  )
}).annotate({ identifier: "ChatRequest", description: "Messages to answer." })
export type ChatRequest = typeof ChatRequest.Type

const decode = Schema.decodeUnknownEffect(ChatRequest, { errors: "all" })

const fieldIssues = ({
  chatId,
  messages,
  parentMessageId = null,
  projectId
}: ChatRequest): InvalidChatRequest["issues"] => {
  if (chatId !== undefined && projectId !== undefined) {
    return [{ path: "projectId", message: "Expected no projectId with a chatId: PATCH /api/chats/{id} moves a chat" }]
  }
  if (messages.length === 0 && parentMessageId === null) {
    return [{ path: "messages", message: "Expected at least one message" }]
  }
  const shown = messages.findIndex(({ imageIds = [], role }) => role !== "user" && imageIds.length > 0)
  if (shown >= 0) {
    return [{ path: `messages[${shown}].imageIds`, message: "Expected no images: only messages of the user have some" }]
  }
  if (parentMessageId === null || chatId !== undefined) return []
  return [{ path: "parentMessageId", message: "Expected the chatId of its chat, too" }]
}

/**
 * Lists that are too long are refused before their elements are checked, because there may be hundreds of thousands.
 */
const TYPES = "documentFilter.types"
const LISTS = [
  { path: "messages", most: MAX_MESSAGES, message: TOO_MANY_MESSAGES },
  { path: "documentIds", most: MAX_DOCUMENTS, message: TOO_MANY_DOCUMENTS },
  { path: TYPES, most: DOCUMENT_TYPES.length, message: `Expected at most ${DOCUMENT_TYPES.length} types` }
]

/**
 * Checks parsed JSON; returns the request, or fails with its first problems. Ids become lower case, and long runs of
 * white space are shortened.
 */
export const decodeChatRequest = Effect.fnUntraced(function* (body: unknown) {
  const fields = Object(body) as Readonly<Record<string, unknown>>
  const filter = Object(fields["documentFilter"]) as Readonly<Record<string, unknown>>
  const issues: Array<InvalidChatRequest["issues"][number]> = []
  for (const { path, most, message } of LISTS) {
    const list = path === TYPES ? filter["types"] : fields[path]
    if (Array.isArray(list) && list.length > most) issues.push({ path, message })
  }
  if (issues.length > 0) return yield* new InvalidChatRequest({ issues })
  const request = yield* Effect.mapError(decode(body), (error) => new InvalidChatRequest({ issues: issuesOf(error) }))
  issues.push(...fieldIssues(request))
  if (issues.length > 0) return yield* new InvalidChatRequest({ issues })
  const { chatId, messages, parentMessageId, ...rest } = request
  return {
    ...rest,
    messages: messages.map(({ content, imageIds = [], role }) => ({
      role,
      content: withoutBlanks(content),
      ...(imageIds.length === 0 ? {} : { imageIds: uniqueIds(imageIds) })
    })),
    ...(chatId === undefined ? {} : { chatId: chatId.toLowerCase() }),
    ...(parentMessageId === undefined ? {} : { parentMessageId: parentMessageId?.toLowerCase() ?? null })
  } satisfies ChatRequest
})
