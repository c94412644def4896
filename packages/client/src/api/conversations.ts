// Written by `npm run docs:tables` from the table of routes: change that.

/** The report on the conversations of a bot. */
export interface BotReport {
  /** Every day of the report, in order. */
  readonly days: ReadonlyArray<BotReportDay>
  /** Unanswered questions, most frequent first: at most 50 groups of the newest 500. */
  readonly unanswered: ReadonlyArray<UnansweredQuestions>
  /** The documents that replies cite, most cited first: at most 50. */
  readonly cited: ReadonlyArray<CitedDocument>
  /** The bot's documents that no reply cites, at most 50. */
  readonly uncited: ReadonlyArray<UncitedDocument>
}

/** A UTC day of a bot. */
export interface BotReportDay {
  /** The day, as `2026-11-30`. */
  readonly day: string
  /** Conversations with a reply on this day. */
  readonly conversations: number
  /** Those of them with an unanswered question, or for which a person was asked. */
  readonly unresolved: number
  /** Questions with a reply. */
  readonly questions: number
  /** Questions of at least three words whose reply is the decline, was rated bad, or cites no document although the bot has some. */
  readonly unanswered: number
  /** Replies that were rated good. */
  readonly good: number
  /** Replies that were rated bad. */
  readonly bad: number
  /** The credits that the bot's replies cost. */
  readonly credits: number
}

/** A document that replies cite. */
export interface CitedDocument {
  /** The document. */
  readonly documentId: string
  /** Its name. */
  readonly filename: string
  /** The number of replies that cite it. */
  readonly replies: number
}

/** A conversation of a visitor with a bot, without its messages. */
export interface Conversation {
  /** The conversation's id. */
  readonly id: string
  /** The same for all conversations of one visitor with the bot. */
  readonly visitor: string
  /** The beginning of the visitor's first message. */
  readonly firstQuestion: string
  /** The number of messages. */
  readonly messageCount: number
  /** The cost of its replies together. */
  readonly credits: number
  /** `waiting` for a person, `open` while a person has it, `solved` when the person is done; `bot` if no person was asked for. */
  readonly state: "bot" | "waiting" | "open" | "solved"
  /** The visitor's address, if the visitor gave one to the person; it is not proven. */
  readonly email: string | null
  /** The page on which the visitor asked for a person, as the visitor's browser named it. */
  readonly page: string | null
  /** The id of the person who has it. */
  readonly assignee: string | null
  /** When the visitor asked for a person. */
  readonly askedAt: string | null
  /** When the conversation began. */
  readonly createdAt: string
  /** When the last message was stored. */
  readonly updatedAt: string
}

/** A file that the visitor attached: a document of yours that only this conversation reads. */
export interface ConversationFile {
  /** The document's id: `GET /api/documents/{id}/file` returns the file. */
  readonly id: string
  /** The name of the file. */
  readonly filename: string
  /** The size of the file. */
  readonly bytes: number
  /** `processing`, `ready`, or `failed` if it could not be read. */
  readonly status: "processing" | "ready" | "failed"
  /** When it was attached. */
  readonly createdAt: string
}

/** A page of conversations. */
export interface ConversationList {
  /** The conversations, last used first. */
  readonly conversations: ReadonlyArray<Conversation>
  /** The most elements of a page, as requested. */
  readonly limit: number
  /** Pass this as `before` for the next page; null on the last page. A page of a search may be short, or empty, without being the last. */
  readonly nextBefore: string | null
}

/** A message of a visitor or a bot. */
export interface ConversationMessage {
  /** The message's id. */
  readonly id: string
  /** The author of the message. */
  readonly role: "user" | "assistant" | "system"
  /** The text of the message; of a reply, as far as it is written. */
  readonly content: string
  /** `streaming`: the reply is being written; `stopped`: it was ended before its end; `failed`: the model failed. */
  readonly state: "complete" | "streaming" | "stopped" | "failed"
  /** When the message was stored. */
  readonly createdAt: string
  /** The model that wrote it; null for the messages of people, and for declines. */
  readonly model: string | null
  /** The name, which may be empty, of the person who wrote it in the place of the bot; null for all other messages. */
  readonly author: string | null
  /** The cost of the reply, once it is charged. */
  readonly credits: number | null
  /** The passages that the reply may cite. */
  readonly sources: ReadonlyArray<ConversationSource>
}

/** The next state of a conversation. */
export interface ConversationMove {
  /** `open`: you answer, and the bot is silent. `solved`: the bot answers again. */
  readonly state: "open" | "solved"
}

/** The state of a conversation. */
export interface ConversationMoved {
  /** The state of the conversation now. */
  readonly state: "waiting" | "open" | "solved"
}

/** A passage of a document that a bot's reply was given. */
export interface ConversationSource {
  /** The number by which the reply cites it: `[1]`. */
  readonly number: number
  /** The document. */
  readonly documentId: string
  /** The document's name. */
  readonly filename: string
  /** The page on which the passage begins; null for a document without pages. */
  readonly page: number | null
  /** Beginning of the passage in the document's text, in UTF-16 units. */
  readonly start: number
  /** End of the passage, in UTF-16 units. */
  readonly end: number
  /** The passage. */
  readonly text: string
}

/** A conversation with a page of its messages. */
export interface ConversationWithMessages {
  /** The conversation's id. */
  readonly id: string
  /** The same for all conversations of one visitor with the bot. */
  readonly visitor: string
  /** The beginning of the visitor's first message. */
  readonly firstQuestion: string
  /** The number of messages. */
  readonly messageCount: number
  /** The cost of its replies together. */
  readonly credits: number
  /** `waiting` for a person, `open` while a person has it, `solved` when the person is done; `bot` if no person was asked for. */
  readonly state: "bot" | "waiting" | "open" | "solved"
  /** The visitor's address, if the visitor gave one to the person; it is not proven. */
  readonly email: string | null
  /** The page on which the visitor asked for a person, as the visitor's browser named it. */
  readonly page: string | null
  /** The id of the person who has it. */
  readonly assignee: string | null
  /** When the visitor asked for a person. */
  readonly askedAt: string | null
  /** When the conversation began. */
  readonly createdAt: string
  /** When the last message was stored. */
  readonly updatedAt: string
  /** The messages, oldest first. */
  readonly messages: ReadonlyArray<ConversationMessage>
  /** The files that the visitor attached, oldest first. */
  readonly files: ReadonlyArray<ConversationFile>
  /** The most messages of a page, as requested. */
  readonly limit: number
  /** Send this as `before` to get the messages before these; null if these are the first. */
  readonly nextBefore: string | null
}

/** The number of a bot's conversations in each state. */
export interface InboxCounts {
  /** Conversations that wait for a person. */
  readonly waiting: number
  /** Conversations that a person has. */
  readonly open: number
  /** Conversations with which a person is done. */
  readonly solved: number
}

/** An answer of a person. */
export interface PersonAnswer {
  /** The text of the answer. */
  readonly content: string
}

/** Questions with similar words that were not answered. */
export interface UnansweredQuestions {
  /** The newest of them. */
  readonly question: string
  /** The number of these questions. */
  readonly count: number
  /** The conversations of the newest ones, at most five. */
  readonly conversationIds: ReadonlyArray<string>
  /** When the newest was asked. */
  readonly at: string
}

/** A document of the bot that no reply cites. */
export interface UncitedDocument {
  /** The document. */
  readonly documentId: string
  /** Its name. */
  readonly filename: string
}

/** The operations of this area, by their ids. */
export interface ConversationsOperations {
  /** Lists the conversations of visitors with your bot, last used first, all or those that contain a text. Callers are signed-in people. */
  readonly listConversations: {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** The most elements in the response. */
      readonly limit?: number | undefined
      /** The `nextBefore` of the previous page: only elements that were used before it. */
      readonly before?: string | undefined
      /** Only elements that contain this text, in upper or lower case. */
      readonly search?: string | undefined
      /** Only conversations in this state. */
      readonly state?: "waiting" | "open" | "solved" | undefined
    }
    readonly response: ConversationList
  }
  /** Returns all conversations of your bot with their messages, each as a line of JSON. Callers are people who signed in a short time ago. */
  readonly exportConversationLines: {
    readonly path: {
      readonly id: string
    }
    readonly response: Response
  }
  /** Returns all messages of your bot's conversations, each as a row of a table. Callers are people who signed in a short time ago. */
  readonly exportConversationTable: {
    readonly path: {
      readonly id: string
    }
    readonly response: Response
  }
  /** Returns a conversation with its newest messages, their sources and costs, a page at a time. Callers are signed-in people. */
  readonly getConversation: {
    readonly path: {
      readonly id: string
      readonly conversationId: string
    }
    readonly query?: {
      /** The most messages in the response, which has fewer if they are long. */
      readonly limit?: number | undefined
      /** The id of a message: only messages before it are returned. */
      readonly before?: string | undefined
    }
    readonly response: ConversationWithMessages
  }
  /** Deletes a conversation of a visitor with your bot. Callers are signed-in people. */
  readonly deleteConversation: {
    readonly path: {
      readonly id: string
      readonly conversationId: string
    }
    readonly response: undefined
  }
  /** Counts the conversations of your bot that wait for a person, are open, or are solved. Callers are signed-in people. */
  readonly getInbox: {
    readonly path: {
      readonly id: string
    }
    readonly response: InboxCounts
  }
  /** Returns what happened in your bot's conversations: counts by day, unanswered questions, cited documents. Callers are signed-in people. */
  readonly getBotReport: {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** The number of days, today (UTC) included. */
      readonly days?: number | undefined
    }
    readonly response: BotReport
  }
  /** Returns the days of your bot's report as a table. Callers are signed-in people. */
  readonly getBotReportTable: {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** The number of days, today (UTC) included. */
      readonly days?: number | undefined
    }
    readonly response: Response
  }
  /** Answers a visitor in the place of your bot, which is silent from then on; costs no credits. Callers are signed-in people. */
  readonly answerVisitor: {
    readonly path: {
      readonly id: string
      readonly conversationId: string
    }
    readonly body: PersonAnswer
    readonly response: ConversationMessage
  }
  /** Takes a conversation or opens it again (`open`), or ends the hand-over (`solved`). Callers are signed-in people. */
  readonly moveConversation: {
    readonly path: {
      readonly id: string
      readonly conversationId: string
    }
    readonly body: ConversationMove
    readonly response: ConversationMoved
  }
}
