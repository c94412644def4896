import { TextStreamChatTransport } from "ai"
import { ApiProblem, problemOf, unreachable } from "../api/ApiProblem.ts"
import { endReply, replyStreamPath } from "../api/chats.ts"
import { type ReplyMessage, textOf } from "./ReplyMessage.ts"

/** The data in the head of a reply. */
export interface ReplyStart {
  readonly chatId: string
  readonly messageId: string
  /** The most tokens that the balance pays for, if that is less than usual. */
  readonly limitedTo: number | undefined
  /** Documents left out because they are not ready. */
  readonly pendingDocuments: ReadonlyArray<string>
}

/** The parts of a request besides the messages. */
export interface Asking {
  readonly chatId: string | undefined
  readonly modelId: string | undefined
  readonly documentIds: ReadonlyArray<string>
}

export interface ReplyTransportOptions {
  readonly asking: () => Asking
  readonly onStart: (start: ReplyStart) => void
}

const startOf = (headers: Headers): ReplyStart => {
  const limitedTo = headers.get("x-credits-limited")
  return {
    chatId: headers.get("x-chat-id") ?? "",
    messageId: headers.get("x-message-id") ?? "",
    limitedTo: limitedTo === null ? undefined : Number(limitedTo),
    pendingDocuments: (headers.get("x-documents-pending") ?? "")
      .split(",")
      .map((id) => id.trim())
      .filter((id) => id !== "")
  }
}

/**
 * Fetches a reply; every refusal is an `ApiProblem`, as everywhere in the application. A reply outlives its
 * connection, so a reply that is stopped before its first word is awaited in the background, and stopped when its chat
 * is known.
 */
const fetchReply =
  (onStart: (start: ReplyStart) => void): typeof fetch =>
  async (input, init = {}) => {
    const connection = new AbortController()
    const { signal, ...rest } = init
    const answer = fetch(input, { ...rest, signal: connection.signal })
    const stopped = new Promise<never>((_, reject) => {
      const stop = () => reject(new DOMException("Stopped", "AbortError"))
      if (signal?.aborted === true) stop()
      signal?.addEventListener("abort", stop)
    })
    let response: Response
    try {
      response = await Promise.race([answer, stopped])
    } catch (error) {
      if (signal?.aborted !== true) throw unreachable()
      answer
        .then((late) => endReply(startOf(late.headers).chatId).then(() => connection.abort()))
        .catch(() => undefined)
      throw error
    }
    stopped.catch(() => undefined)
    signal?.addEventListener("abort", () => connection.abort())
    if (!response.ok) throw problemOf(response.status, await response.text().catch(() => ""))
    if (response.status === 200) onStart(startOf(response.headers))
    return response
  }

/**
 * `useChat` over `POST /api/chat` and its plain text. The reply continues when the page is closed, and a page that
 * returns reads it from its beginning. For a stored chat the server has the earlier messages; for a new one all are
 * sent.
 */
export class ReplyTransport extends TextStreamChatTransport<ReplyMessage> {
  readonly resumeStreamIsReplay = true

  constructor({ asking, onStart }: ReplyTransportOptions) {
    super({
      api: "/api/chat",
      credentials: "same-origin",
      fetch: fetchReply(onStart),
      prepareSendMessagesRequest: ({ messages }) => {
        const { chatId, modelId, documentIds } = asking()
        const told = chatId === undefined ? messages : messages.slice(-1)
        return {
          headers: { "x-on-disconnect": "continue" },
          body: {
            messages: told.map((message) => ({ role: message.role, content: textOf(message) })),
            ...(chatId === undefined ? {} : { chatId }),
            ...(modelId === undefined ? {} : { modelId }),
            documentIds
          }
        }
      },
      prepareReconnectToStreamRequest: () => {
        const { chatId } = asking()
        if (chatId === undefined) throw new ApiProblem(404, "There is no such chat.", { code: "chat_not_found" })
        return { api: replyStreamPath(chatId), credentials: "same-origin" }
      }
    })
  }
}
