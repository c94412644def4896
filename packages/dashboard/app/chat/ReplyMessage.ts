import type { UIMessage } from "ai"
import type { MessageState, Source, StoredMessage } from "../api/chats.ts"
import type { Receipt } from "../api/billing.ts"

/** The data of a message besides its words. */
export interface MessageFacts {
  /** Its id on the server, when it is known. */
  readonly storedId?: string
  readonly state?: MessageState
  readonly model?: string
  readonly credits?: number
  readonly receipt?: Receipt
  readonly sources?: ReadonlyArray<Source>
  /** Named documents of which the model read nothing. */
  readonly unread?: ReadonlyArray<string>
}

/** A message in the form of `useChat`. */
export type ReplyMessage = UIMessage<MessageFacts>

/** The words of a message. */
export const textOf = ({ parts }: ReplyMessage): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("")

export const factsOf = (stored: StoredMessage): MessageFacts => ({
  storedId: stored.id,
  state: stored.state,
  sources: stored.sources,
  unread: stored.unread,
  ...(stored.model === null ? {} : { model: stored.model }),
  ...(stored.credits === null ? {} : { credits: stored.credits }),
  ...(stored.receipt === null ? {} : { receipt: stored.receipt })
})

export const messageOf = (stored: StoredMessage): ReplyMessage => ({
  id: stored.id,
  role: stored.role,
  metadata: factsOf(stored),
  parts: [{ type: "text", text: stored.content }]
})

/** A new message of this page, which the server does not know yet. */
export const newMessage = (role: "user" | "assistant", text: string): ReplyMessage => ({
  id: crypto.randomUUID(),
  role,
  parts: [{ type: "text", text }]
})
