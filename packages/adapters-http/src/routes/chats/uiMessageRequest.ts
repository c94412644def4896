import { InvalidChatRequest } from "@parley/core/adapter"
import { Effect } from "effect"

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => Object(value) as Fields

/** A message as Parley takes it: the text parts of a UI message, joined. Any other value stays as it is. */
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
 * The place of a request in its chat: after the newest reply of the page, whose stream began with its id and its chat. So
 * a question that is edited or asked again stands beside the earlier one. Empty if the page shows no reply.
 */
const placeOf = (messages: ReadonlyArray<unknown>): Fields => {
  const reply = messages.map(fieldsOf).findLast((each) => each["role"] === "assistant" && chatOf(each) !== undefined)
  return reply === undefined ? {} : { chatId: chatOf(reply), parentMessageId: reply["id"] }
}

/**
 * The request within the body that `useChat` sends: messages with parts become messages with texts, and without
 * `chatId` they stand after the newest reply. The `id` of `useChat` is its own name for a conversation. A file
 * within a message is refused, because the model would not read it.
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
