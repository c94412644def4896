import { Stream } from "effect"
import type { StoredMessage } from "../StoredMessage.ts"
import { ModelFailed } from "../../models/ChatModel.ts"
import type { Reply } from "./Reply.ts"

/** A stored reply, given again. One that was not complete ends as it did: cut off. */
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
    limitedTo: undefined,
    text: message.state === "complete" ? text : Stream.concat(text, Stream.fail(cut))
  }
}
