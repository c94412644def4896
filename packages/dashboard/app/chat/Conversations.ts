import type { StoredChat } from "../api/chats.ts"
import { Conversation, type ConversationEvents } from "./Conversation.ts"
import { newMessage, type ReplyMessage } from "./ReplyMessage.ts"

/** The events of all conversations. */
export type ConversationsEvents = Omit<ConversationEvents, "onCreated" | "title">

/** The conversations that were opened on this page: each continues while another is in view. */
export class Conversations {
  readonly #opened = new Map<string, Conversation>()
  readonly #events: ConversationsEvents
  #fresh: Conversation | undefined

  constructor(events: ConversationsEvents) {
    this.#events = events
  }

  /** The conversation of a stored chat, if it was opened before. */
  find(chatId: string): Conversation | undefined {
    return this.#opened.get(chatId)
  }

  /** The conversation of a stored chat, updated with the server's state. */
  open(stored: StoredChat): Conversation {
    const opened = this.#opened.get(stored.id)
    if (opened !== undefined) return opened
    const conversation = Conversation.stored(this.#eventsOf(), stored)
    this.#opened.set(stored.id, conversation)
    return conversation
  }

  /** The new conversation, which has not begun. */
  fresh(): Conversation {
    this.#fresh ??= new Conversation(this.#eventsOf())
    return this.#fresh
  }

  /**
   * A new conversation with the messages before one of the person's own, to change that one or to get another reply.
   * The original chat stays unchanged. It becomes the new conversation.
   */
  branch(from: Conversation, questionId: string, title: string): Conversation {
    const { chatId, documentIds, modelId } = from.facts()
    const { messages } = from.chat
    const before = messages.slice(
      0,
      messages.findIndex(({ id }) => id === questionId)
    )
    const copies = before.map((message): ReplyMessage => ({
      ...newMessage("user", message.text),
      role: message.role,
      ...(message.metadata === undefined ? {} : { metadata: message.metadata })
    }))
    const branchOf = chatId === undefined ? undefined : { chatId, title: from.facts().title }
    this.#fresh = new Conversation(this.#eventsOf(title), { documentIds, modelId, branchOf, title }, copies)
    return this.#fresh
  }

  forget(chatId: string): void {
    this.#opened.delete(chatId)
  }

  #eventsOf(title?: string): ConversationEvents {
    return {
      ...this.#events,
      title,
      onCreated: (conversation, chatId) => {
        this.#opened.set(chatId, conversation)
        if (this.#fresh === conversation) this.#fresh = undefined
        this.#events.onChanged()
      }
    }
  }
}
