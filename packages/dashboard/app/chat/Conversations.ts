import type { StoredChat } from "../api/chats.ts"
import { Conversation, type ConversationEvents } from "./Conversation.ts"

/** The functions that all conversations call to inform the page. */
export type ConversationsEvents = Omit<ConversationEvents, "onCreated">

/** The conversations that were opened on this page. Each of them continues while another is in view. */
export class Conversations {
  readonly #opened = new Map<string, Conversation>()
  readonly #events: ConversationsEvents
  #fresh: Conversation | undefined

  constructor(events: ConversationsEvents) {
    this.#events = events
  }

  /** Returns the conversation of a stored chat, if it was opened on this page before. */
  find(chatId: string): Conversation | undefined {
    return this.#opened.get(chatId)
  }

  /** Returns the conversation of a stored chat, brought up to date with the server's state. */
  open(stored: StoredChat): Conversation {
    const opened = this.#opened.get(stored.id)
    if (opened !== undefined) return opened
    const conversation = Conversation.stored(this.#eventsOf(), stored)
    this.#opened.set(stored.id, conversation)
    return conversation
  }

  /** Returns the conversation of a new chat that has not begun. */
  fresh(): Conversation {
    this.#fresh ??= new Conversation(this.#eventsOf())
    return this.#fresh
  }

  forget(chatId: string): void {
    this.#opened.delete(chatId)
  }

  #eventsOf(): ConversationEvents {
    return {
      ...this.#events,
      onCreated: (conversation, chatId) => {
        this.#opened.set(chatId, conversation)
        if (this.#fresh === conversation) this.#fresh = undefined
        this.#events.onChanged()
      }
    }
  }
}
