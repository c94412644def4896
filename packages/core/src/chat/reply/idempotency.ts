import { Effect, Stream } from "effect"
import { ModelFailed } from "../../models/ChatModel.ts"
import type { ChatRequest } from "../ChatRequest.ts"
import { type ConversationOwner, ownerKey, type StoredMessage } from "../store/StoredChat.ts"
import type { Reply, ReplyTerms } from "./Reply.ts"

const digest = (text: string): Effect.Effect<Uint8Array> =>
  Effect.map(
    Effect.promise(() => crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    (bytes) => new Uint8Array(bytes)
  )

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Makes a UUID (RFC 9562, version 8) from texts; equal texts result in the same UUID. */
const uuidFrom = (...texts: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.map(digest(JSON.stringify(texts)), (bytes) => {
    const digits = hex(bytes)
    const variant = ((Number.parseInt(digits.charAt(16), 16) & 0x3) | 0x8).toString(16)
    return [
      digits.slice(0, 8),
      digits.slice(8, 12),
      `8${digits.slice(13, 16)}`,
      `${variant}${digits.slice(17, 20)}`,
      digits.slice(20, 32)
    ].join("-")
  })

/** Names an owner: one text for a person, three for a visitor. */
const nameOf = (owner: ConversationOwner): ReadonlyArray<string> => {
  const { userId, bot, visitor } = ownerKey(owner)
  return bot === "" ? [userId] : [userId, bot, visitor]
}

/** The id of the chat that a request with this idempotency key begins, if the request names none. */
export const idempotentChatId = (owner: ConversationOwner, key: string): Effect.Effect<string> =>
  uuidFrom("chat", ...nameOf(owner), key)

/** The id of the reply of the `keyTry`-th try (from 1) of a request with this idempotency key. */
export const idempotentMessageId = (owner: ConversationOwner, key: string, keyTry: number): Effect.Effect<string> =>
  uuidFrom("message", ...nameOf(owner), key, String(keyTry))

/**
 * A digest of a request and of its terms. Two requests with the same idempotency key count as the same request if their
 * fingerprints are equal.
 */
export const fingerprintOf = (request: ChatRequest, terms?: ReplyTerms): Effect.Effect<string> => {
  const { messages, chatId, modelId, documentFilter, documentIds, parentMessageId, projectId } = request
  const filter = Object.keys(documentFilter ?? {}).length === 0 ? [] : [documentFilter]
  const parent = parentMessageId === undefined ? [] : [{ parentMessageId }]
  const project = projectId === undefined ? [] : [{ projectId }]
  const said = messages.map(({ role, content, imageIds = [] }) => [role, content, ...imageIds])
  const rules = terms === undefined ? [] : [[terms.instructions, terms.modelId ?? null, terms.maxOutputTokens ?? null]]
  const whole = [said, chatId ?? null, modelId ?? null, documentIds ?? [], ...filter, ...parent, ...project, ...rules]
  return Effect.map(digest(JSON.stringify(whole)), hex)
}

/** Returns a stored reply again. A reply that was not complete ends with the same failure as the first time. */
export const replayedReply = (chatId: string, message: StoredMessage): Reply => {
  const model = message.model ?? ""
  const text = Stream.make(message.content)
  const cut = new ModelFailed({ model, reason: "cut-off", retryable: false })
  return {
    chatId,
    messageId: message.id,
    model,
    sources: message.sources,
    pendingDocuments: [],
    unreadDocuments: message.unread,
    limitedTo: undefined,
    text: message.state === "complete" ? text : Stream.concat(text, Stream.fail(cut))
  }
}
