import { InvalidChatRequest } from "@parley/core/adapter"
import { Effect } from "effect"

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => Object(value) as Fields

/**
 * Converts a UI message of the AI SDK to Parley's form, with its text parts joined. Any other value stays unchanged.
 */
const messageOf = (message: unknown): unknown => {
  const { content, parts, role } = fieldsOf(message)
  if (content !== undefined || !Array.isArray(parts)) return message
  const texts = parts.map((part) => {
    const { text, type } = fieldsOf(part)
    return type === "text" && typeof text === "string" ? text : ""
  })
  return { role, content: texts.join("") }
}

const hasFile = (message: unknown): boolean => {
  const { parts } = fieldsOf(message)
  return Array.isArray(parts) && parts.some((part) => fieldsOf(part)["type"] === "file")
}

const chatOf = (reply: Fields): unknown => fieldsOf(reply["metadata"])["chatId"]

/**
 * The chat and the parent message of a request: the newest reply that the page shows, whose stream began with its id
 * and chat. An edited or repeated question thereby becomes a version of the earlier one. Empty if the page shows no
 * reply.
 */
const placeOf = (messages: ReadonlyArray<unknown>): Fields => {
  const reply = messages.map(fieldsOf).findLast((each) => each["role"] === "assistant" && chatOf(each) !== undefined)
  return reply === undefined ? {} : { chatId: chatOf(reply), parentMessageId: reply["id"] }
}

/**
 * Converts the body that `useChat` sends to Parley's request: messages with parts become messages with texts. If
 * `chatId` is missing, the request continues after the newest reply. The field `id` is `useChat`'s own name of a
 * conversation and is ignored. A file within a message is refused, because the model would not read it.
 */
export const requestFromUi = (body: unknown): Effect.Effect<unknown, InvalidChatRequest> => {
  const fields = fieldsOf(body)
  const { messages } = fields
  if (!Array.isArray(messages)) return Effect.succeed(body)
  const file = messages.findIndex(hasFile)
  if (file >= 0) {
    const message = "Expected text parts: upload a file with POST /api/upload, and name it in documentIds"
    return Effect.fail(new InvalidChatRequest({ issues: [{ path: `messages.${file}.parts`, message }] }))
  }
  const place = fields["chatId"] === undefined ? placeOf(messages) : {}
  return Effect.succeed({ ...place, ...fields, messages: messages.map(messageOf) })
}
