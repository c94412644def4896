// Written by `npm run docs:tables` from the table of routes: change that.

/** A bot with its settings and public keys. */
export interface Bot {
  /** The bot's id. */
  readonly id: string
  /** The name that visitors see. */
  readonly displayName: string
  /** The first message that visitors see. */
  readonly welcomeMessage: string
  /** The colour of the widget, as #rrggbb. */
  readonly primaryColor: string
  /** The model that answers: the first of the owner's plan if null, or if the plan no longer has it. */
  readonly modelId: string | null
  /** Instructions for the model, before every conversation: its purpose and its manner. */
  readonly instructions: string
  /** The documents it answers from, of the owner's own. */
  readonly documentIds: ReadonlyArray<string>
  /** The sites that may embed the widget; any site if none is named. */
  readonly allowedSites: ReadonlyArray<string>
  /** The most credits that this bot spends on one UTC day, running replies included; null for the operator's limits alone, which always hold as well. */
  readonly dailyCap: number | null
  /** The text that visitors see when the owner's credits are used up; a neutral sentence where null. */
  readonly declineText: string | null
  /** Questions that the widget offers to begin with. */
  readonly suggestedQuestions: ReadonlyArray<string>
  /** The texts for visitors by the language of the widget, in the place of those for all languages. */
  readonly translations: {
    readonly en?: BotTexts
    readonly de?: BotTexts
    readonly fr?: BotTexts
    readonly es?: BotTexts
    readonly pt?: BotTexts
    readonly it?: BotTexts
    readonly nl?: BotTexts
    readonly pl?: BotTexts
    readonly ja?: BotTexts
    readonly ar?: BotTexts
  }
  /** Whether visitors see the passages that a reply cites, with the documents' names. */
  readonly showSources: boolean
  /** Whether a visitor can ask for a person, who then answers in the bot's place. */
  readonly handOver: boolean
  /** The address that gets a mail when a visitor asks for a person; no mail is sent if null. */
  readonly handOverEmail: string | null
  /** The name that visitors see beside a person's answers; a neutral word where null. */
  readonly personName: string | null
  /** When people answer; always if null. At other times the widget says when they are back. */
  readonly openingHours: {
    /** The time zone of the times, such as Europe/Berlin. */
    readonly timeZone: string
    /** The ranges of a week. */
    readonly ranges: ReadonlyArray<{
      /** The day of the week, from 1 for Monday to 7 for Sunday. */
      readonly day: number
      /** The first minute, such as 09:00. */
      readonly from: string
      /** The end, such as 17:30; 24:00 is the end of the day. */
      readonly to: string
    }>
  } | null
  /** Whether it answers. To visitors, one that does not is not there. */
  readonly active: boolean
  /** The public keys that address the bot, oldest first. Each works until it is retired. */
  readonly keys: ReadonlyArray<BotKey>
  /** When the bot was made. */
  readonly createdAt: string
  /** When the bot was last changed. */
  readonly updatedAt: string
}

/** The settings of a bot to change. */
export interface BotChange {
  /** The name that visitors see. */
  readonly displayName?: string
  /** The first message that visitors see. */
  readonly welcomeMessage?: string
  /** The colour of the widget, as #rrggbb. */
  readonly primaryColor?: string
  /** The model that answers: the first of the owner's plan if null, or if the plan no longer has it. */
  readonly modelId?: string | null
  /** Instructions for the model, before every conversation: its purpose and its manner. */
  readonly instructions?: string
  /** The documents it answers from, of the owner's own. */
  readonly documentIds?: ReadonlyArray<string>
  /** The sites that may embed the widget; any site if none is named. */
  readonly allowedSites?: ReadonlyArray<string>
  /** The most credits that this bot spends on one UTC day, running replies included; null for the operator's limits alone, which always hold as well. */
  readonly dailyCap?: number | null
  /** The text that visitors see when the owner's credits are used up; a neutral sentence where null. */
  readonly declineText?: string | null
  /** Questions that the widget offers to begin with. */
  readonly suggestedQuestions?: ReadonlyArray<string>
  /** The texts for visitors by the language of the widget, in the place of those for all languages. */
  readonly translations?: {
    readonly en?: BotTexts
    readonly de?: BotTexts
    readonly fr?: BotTexts
    readonly es?: BotTexts
    readonly pt?: BotTexts
    readonly it?: BotTexts
    readonly nl?: BotTexts
    readonly pl?: BotTexts
    readonly ja?: BotTexts
    readonly ar?: BotTexts
  }
  /** Whether visitors see the passages that a reply cites, with the documents' names. */
  readonly showSources?: boolean
  /** Whether a visitor can ask for a person, who then answers in the bot's place. */
  readonly handOver?: boolean
  /** The address that gets a mail when a visitor asks for a person; no mail is sent if null. */
  readonly handOverEmail?: string | null
  /** The name that visitors see beside a person's answers; a neutral word where null. */
  readonly personName?: string | null
  /** When people answer; always if null. At other times the widget says when they are back. */
  readonly openingHours?: {
    /** The time zone of the times, such as Europe/Berlin. */
    readonly timeZone: string
    /** The ranges of a week. */
    readonly ranges: ReadonlyArray<{
      /** The day of the week, from 1 for Monday to 7 for Sunday. */
      readonly day: number
      /** The first minute, such as 09:00. */
      readonly from: string
      /** The end, such as 17:30; 24:00 is the end of the day. */
      readonly to: string
    }>
  } | null
  /** Whether it answers. To visitors, one that does not is not there. */
  readonly active?: boolean
}

/** The settings of a new bot. */
export interface BotDraft {
  /** The name that visitors see. */
  readonly displayName: string
  /** The first message that visitors see. */
  readonly welcomeMessage?: string
  /** The colour of the widget, as #rrggbb. */
  readonly primaryColor?: string
  /** The model that answers: the first of the owner's plan if null, or if the plan no longer has it. */
  readonly modelId?: string | null
  /** Instructions for the model, before every conversation: its purpose and its manner. */
  readonly instructions?: string
  /** The documents it answers from, of the owner's own. */
  readonly documentIds?: ReadonlyArray<string>
  /** The sites that may embed the widget; any site if none is named. */
  readonly allowedSites?: ReadonlyArray<string>
  /** The most credits that this bot spends on one UTC day, running replies included; null for the operator's limits alone, which always hold as well. */
  readonly dailyCap?: number | null
  /** The text that visitors see when the owner's credits are used up; a neutral sentence where null. */
  readonly declineText?: string | null
  /** Questions that the widget offers to begin with. */
  readonly suggestedQuestions?: ReadonlyArray<string>
  /** The texts for visitors by the language of the widget, in the place of those for all languages. */
  readonly translations?: {
    readonly en?: BotTexts
    readonly de?: BotTexts
    readonly fr?: BotTexts
    readonly es?: BotTexts
    readonly pt?: BotTexts
    readonly it?: BotTexts
    readonly nl?: BotTexts
    readonly pl?: BotTexts
    readonly ja?: BotTexts
    readonly ar?: BotTexts
  }
  /** Whether visitors see the passages that a reply cites, with the documents' names. */
  readonly showSources?: boolean
  /** Whether a visitor can ask for a person, who then answers in the bot's place. */
  readonly handOver?: boolean
  /** The address that gets a mail when a visitor asks for a person; no mail is sent if null. */
  readonly handOverEmail?: string | null
  /** The name that visitors see beside a person's answers; a neutral word where null. */
  readonly personName?: string | null
  /** When people answer; always if null. At other times the widget says when they are back. */
  readonly openingHours?: {
    /** The time zone of the times, such as Europe/Berlin. */
    readonly timeZone: string
    /** The ranges of a week. */
    readonly ranges: ReadonlyArray<{
      /** The day of the week, from 1 for Monday to 7 for Sunday. */
      readonly day: number
      /** The first minute, such as 09:00. */
      readonly from: string
      /** The end, such as 17:30; 24:00 is the end of the day. */
      readonly to: string
    }>
  } | null
  /** Whether it answers. To visitors, one that does not is not there. */
  readonly active?: boolean
}

/** A public key of a bot. */
export interface BotKey {
  /** The key, as the widget of a site names it. */
  readonly publicKey: string
  /** When the key was created. */
  readonly createdAt: string
}

/** The bots of a person. */
export interface BotList {
  /** The bots, newest first. */
  readonly bots: ReadonlyArray<Bot>
}

/** The texts of a bot in one language. A missing one is the text for all languages. */
export interface BotTexts {
  readonly welcomeMessage?: string
  readonly suggestedQuestions?: ReadonlyArray<string>
  readonly declineText?: string
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
  /** The most messages of a page, as requested. */
  readonly limit: number
  /** Send this as `before` to get the messages before these; null if these are the first. */
  readonly nextBefore: string | null
}

/** How many conversations of a bot people have or had. */
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

/** The operations of this area, by their ids. */
export interface BotsOperations {
  /** Lists your bots, newest first. Callers are signed-in people. */
  readonly listBots: {
    readonly response: BotList
  }
  /** Makes a bot with its first public key. Callers are signed-in people. */
  readonly createBot: {
    readonly body: BotDraft
    readonly response: Bot
  }
  /** Returns a bot. Callers are signed-in people. */
  readonly getBot: {
    readonly path: {
      readonly id: string
    }
    readonly response: Bot
  }
  /** Changes the settings of a bot that are named, and leaves the others. Callers are signed-in people. */
  readonly updateBot: {
    readonly path: {
      readonly id: string
    }
    readonly body: BotChange
    readonly response: Bot
  }
  /** Deletes a bot with its public keys and its visitors' conversations. Callers are signed-in people. */
  readonly deleteBot: {
    readonly path: {
      readonly id: string
    }
    readonly response: undefined
  }
  /** Creates another public key of a bot; the others keep working until they are retired. Callers are signed-in people. */
  readonly createBotKey: {
    readonly path: {
      readonly id: string
    }
    readonly response: Bot
  }
  /** Retires a public key of a bot; its only one cannot be. Callers are signed-in people. */
  readonly deleteBotKey: {
    readonly path: {
      readonly id: string
      readonly key: string
    }
    readonly response: Bot
  }
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
