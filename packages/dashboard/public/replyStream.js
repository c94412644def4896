import { json, send } from "./api.js"

/**
 * @typedef {{ chatId: string | undefined, modelId: string | undefined, documentIds: string[], content: string }} Question
 * @typedef {{ chatId: string, messageId: string, limitedTo: number | undefined, pendingDocuments: string[] }} ReplyStart
 */

/** The connection broke after the reply began: what arrived is not the whole. */
export class ReplyCut extends Error {
  constructor() {
    super("The connection broke before the reply was complete.")
    this.name = "ReplyCut"
  }
}

/**
 * Asks, and hands the reply on as it is written. Resolves when the reply is complete. Rejects with an `ApiProblem` where
 * none began, with `ReplyCut` where it broke off, and with the signal's reason where it was aborted.
 * @param {Question} question
 * @param {AbortSignal} signal
 * @param {{ onStart: (start: ReplyStart) => void, onText: (text: string) => void }} handlers
 */
export const streamReply = async (question, signal, { onStart, onText }) => {
  const response = await send("/api/chat", {
    ...json("POST", {
      messages: [{ role: "user", content: question.content }],
      ...(question.chatId === undefined ? {} : { chatId: question.chatId }),
      ...(question.modelId === undefined ? {} : { modelId: question.modelId }),
      documentIds: question.documentIds
    }),
    signal
  })
  onStart(startOf(response.headers))
  const reader = response.body?.getReader()
  if (reader === undefined) throw new ReplyCut()
  const decoder = new TextDecoder()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      onText(decoder.decode(part.value, { stream: true }))
    }
    onText(decoder.decode())
  } catch {
    signal.throwIfAborted()
    throw new ReplyCut()
  }
}

/** @param {Headers} headers @returns {ReplyStart} */
const startOf = (headers) => {
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
