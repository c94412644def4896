import type { Receipt } from "@parley/client"
import type { Source, StoredMessage } from "../api/chats.ts"

/** The data of a message besides its words. */
export interface MessageFacts {
  /** Its id on the server, when it is known. */
  readonly storedId?: string
  readonly state?: StoredMessage["state"]
  readonly model?: string
  readonly credits?: number
  readonly receipt?: Receipt
  readonly sources?: ReadonlyArray<Source>
  /** Named documents of which the model read nothing. */
  readonly unread?: ReadonlyArray<string>
}

/** A message as this page shows it. */
export interface ReplyMessage {
  /** Its id on this page. */
  readonly id: string
  readonly role: StoredMessage["role"]
  readonly text: string
  readonly metadata?: MessageFacts
}

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
  text: stored.content
})

/** A new message of this page, which the server does not know yet. */
export const newMessage = (role: "user" | "assistant", text: string): ReplyMessage => ({
  id: crypto.randomUUID(),
  role,
  text
})
