// Written by `npm run docs:tables` from the table of routes: change that.

import type { ChatShare, Receipt, ReplyRating } from "./shared.ts"

/** A chat without its messages. */
export interface Chat {
  /** The chat's id. */
  readonly id: string
  /** The title: the owner's, the one that a model wrote after the first reply, or the first sentence of the question. */
  readonly title: string
  /** The project of the chat; null if it is in none. */
  readonly projectId: string | null
  /** When the chat began. */
  readonly createdAt: string
  /** When the chat was last used. */
  readonly updatedAt: string
}

/** The change of a chat: one of the fields. */
export interface ChatChange {
  /** The title: trimmed, 1 to 200 characters. */
  readonly title?: string
  /** The project into which the chat moves; null for none. */
  readonly projectId?: string | null
}

/** The documents of a chat. */
export interface ChatDocuments {
  /** The ids of the documents. */
  readonly documentIds: ReadonlyArray<string>
}

/** A page of chats. */
export interface ChatList {
  /** The chats, last used first. */
  readonly chats: ReadonlyArray<ListedChat>
  /** The number of all chats. */
  readonly total: number
  /** The most elements of a page, as requested. */
  readonly limit: number
  /** The number of skipped elements, as requested. */
  readonly offset: number
}

/** A message of a chat request. */
export interface ChatMessage {
  /** The author of the message. */
  readonly role: "user" | "assistant" | "system"
  /** The text of the message. */
  readonly content: string
  /** Images of POST /api/images that a new message of the user has: at most 4. The model must be one that sees images. */
  readonly imageIds?: ReadonlyArray<string>
}

/** Messages to answer. */
export interface ChatRequest {
  /** The messages; the last one is the new one of the `user`. In a stored chat only those after the last `assistant` are new. Empty for another version of the reply to `parentMessageId`. */
  readonly messages: ReadonlyArray<ChatMessage>
  /** The chat to continue; a new one begins without it. */
  readonly chatId?: string
  /** The message of the chat after which the first new one stands, so that both it and its earlier followers stay: the end of the newest branch unless given; null for another first message. If it is a reply that is being written, the new message stands after the question of that reply. With empty `messages` it names a message of the `user`, whose reply gets another version. */
  readonly parentMessageId?: string | null
  /** A model of GET /api/models; the first one unless given. */
  readonly modelId?: string
  /** The documents that the reply may read; none unless given. */
  readonly documentIds?: ReadonlyArray<string>
  readonly documentFilter?: DocumentFilter
  /** The project in which a new chat begins; a chat that exists keeps its own. */
  readonly projectId?: string
}

/** A chat with a page of the messages of one of its branches. */
export interface ChatWithMessages {
  /** The chat's id. */
  readonly id: string
  /** The title: the owner's, the one that a model wrote after the first reply, or the first sentence of the question. */
  readonly title: string
  /** The project of the chat; null if it is in none. */
  readonly projectId: string | null
  /** When the chat began. */
  readonly createdAt: string
  /** When the chat was last used. */
  readonly updatedAt: string
  /** The documents stored with the chat or, if none ever were, those of its last request. A reply reads the documents of its own request only. */
  readonly documentIds: ReadonlyArray<string>
  /** The running reply at the end of this branch that continues without its reader: GET /api/chats/{id}/stream joins it. Its message is stored with its first words. */
  readonly running: RunningReply | null
  /** The share of the chat; null unless you share it. */
  readonly share: ChatShare | null
  /** The messages of the branch, oldest first. */
  readonly messages: ReadonlyArray<Message>
  /** The most messages of a page, as requested. */
  readonly limit: number
  /** Send this as `before` to get the messages before these; null if these are the first. */
  readonly nextBefore: string | null
}

/** Narrows the documents that a request names, and the passages of them that are read. All given conditions must hold. */
export interface DocumentFilter {
  /** Only documents of these types. */
  readonly types?: ReadonlyArray<"pdf" | "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "epub" | "rtf" | "doc" | "xls" | "ppt" | "png" | "jpg" | "webp" | "heic" | "eml" | "html" | "md" | "txt" | "csv">
  /** Only documents that were uploaded at this time or later. */
  readonly uploadedAfter?: string
  /** Only documents that were uploaded before this time. */
  readonly uploadedBefore?: string
  /** Only passages below or beginning a heading that contains this text, in any case. */
  readonly heading?: string
}

/** The newest message of any branch with the searched text; absent without a search, and if only the title has the text. */
export interface FoundWords {
  /** The message; as `leaf`, it returns the chat on a branch with this message. */
  readonly messageId: string
  /** A piece of the message in one line: the found text and some words around it. */
  readonly excerpt: string
  /** Beginning of the found text in the excerpt, in UTF-16 units. */
  readonly start: number
  /** End of the found text in the excerpt, in UTF-16 units. */
  readonly end: number
}

/** A heading of a document. */
export interface Heading {
  /** The level of the heading; 1 is the highest. */
  readonly level: number
  /** The text of the heading. */
  readonly title: string
  /** Beginning of the heading in the document's text, in UTF-16 units. */
  readonly start: number
}

/** A chat of a list. */
export interface ListedChat {
  /** The chat's id. */
  readonly id: string
  /** The title: the owner's, the one that a model wrote after the first reply, or the first sentence of the question. */
  readonly title: string
  /** The project of the chat; null if it is in none. */
  readonly projectId: string | null
  /** When the chat began. */
  readonly createdAt: string
  /** When the chat was last used. */
  readonly updatedAt: string
  readonly found?: FoundWords
}

/** The prices of requests with many input tokens. */
export interface LongContextPrice {
  /** These prices count for requests with more input tokens than this. */
  readonly aboveInputTokens: number
  /** The price of 1,000 input tokens, in credits. */
  readonly creditsPer1kInput: number
  /** The price of 1,000 input tokens that the provider's cache holds, in credits. */
  readonly creditsPer1kCachedInput: number
  /** The price of 1,000 input tokens that are written to the provider's cache, in credits. */
  readonly creditsPer1kCacheWrite: number
  /** The price of 1,000 output tokens, in credits. */
  readonly creditsPer1kOutput: number
}

/** A message of a chat. */
export interface Message {
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
  /** The message that it follows; null if it begins the chat. */
  readonly parentId: string | null
  /** Ids of all messages that follow the same one, itself included, oldest first; absent if it is the only one. */
  readonly versions?: ReadonlyArray<string>
  /** The model that wrote the reply; null for messages of people. */
  readonly model: string | null
  /** Your rating of the reply; null without one. */
  readonly rating: ReplyRating | null
  /** The cost of the reply, once it is charged. */
  readonly credits: number | null
  /** The receipt of the reply, once it is charged. */
  readonly receipt: Receipt | null
  /** Ids of the images of the message: GET /api/images/{id} returns them; absent if it has none. */
  readonly imageIds?: ReadonlyArray<string>
  /** The passages that the reply may cite. */
  readonly sources: ReadonlyArray<Source>
  /** Ids of documents that the question named and that were ready, and of which the model read nothing. */
  readonly unread: ReadonlyArray<string>
}

/** A model with its prices. */
export interface Model {
  /** The model's id, as `modelId` of a chat request takes it. */
  readonly id: string
  /** The name shown to people. */
  readonly name: string
  /** The price of 1,000 input tokens, in credits. */
  readonly creditsPer1kInput: number
  /** The price of 1,000 input tokens that the provider's cache holds, in credits. */
  readonly creditsPer1kCachedInput: number
  /** The price of 1,000 input tokens that are written to the provider's cache, in credits. */
  readonly creditsPer1kCacheWrite: number
  /** The price of 1,000 output tokens, in credits. */
  readonly creditsPer1kOutput: number
  /** Other prices for long requests; null if there are none. */
  readonly longContext: LongContextPrice | null
  /** The least price of a reply, in credits. */
  readonly minimumCredits: number
  /** The most output tokens of a reply. */
  readonly maxOutputTokens: number
  /** True if it sees the images of messages. */
  readonly seesImages: boolean
  /** True if your tier includes it. */
  readonly allowed: boolean
  /** The tiers that include it. */
  readonly allowedTiers: ReadonlyArray<string>
  /** True for the model that answers your requests that name none. */
  readonly default: boolean
  /** True if this server can run it. */
  readonly available: boolean
  /** The stand-in that answers for the model on this server; null if the model does. */
  readonly answeredBy: string | null
}

/** The models. */
export interface ModelList {
  /** Your tier. */
  readonly tier: string
  /** The models, the default first. */
  readonly models: ReadonlyArray<Model>
}

/** A reply that is being written. */
export interface RunningReply {
  /** The reply's id within the chat. */
  readonly messageId: string
  /** The model that answers. */
  readonly model: string
  /** When the reply began. */
  readonly startedAt: string
}

/** A passage of a document that a reply was given. */
export interface Source {
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
  /** Those above the passage's start, then those that begin in it; with offsets like `start`. */
  readonly headings: ReadonlyArray<Heading>
}

/** A stored image. */
export interface UploadedImage {
  /** The image's id, for `imageIds` of a message. */
  readonly imageId: string
  /** The format. */
  readonly mediaType: "image/png" | "image/jpeg" | "image/webp" | "image/gif"
  /** The width in pixels. */
  readonly width: number
  /** The height in pixels. */
  readonly height: number
}

/** The operations of this area, by their ids. */
export interface ChatOperations {
  /** Sends messages and streams the reply. A chat is a tree: the messages continue its newest branch, or stand after `parentMessageId`; of requests that continue the same message at once, each begins a branch of its own. The text is streamed as it is written. Credits are held before the model is called, and charged for what was written; the sources, the receipt and the cost are in GET /api/chats/{id} afterwards. The UI message stream of the AI SDK has them as parts, and the balance after the reply; with it the messages may be those of `useChat`, with `parts`. Callers are signed-in people. */
  readonly sendMessage: {
    readonly body: ChatRequest
    readonly response: Response
  }
  /** Lists your chats, last used first. With `search`, those with the text, in any case, in their title or in a message of any branch. The messages of the last used chats are searched, up to 8 MiB together. Callers are signed-in people. */
  readonly listChats: {
    readonly query?: {
      /** The most elements in the response. */
      readonly limit?: number | undefined
      /** Number of elements to skip. */
      readonly offset?: number | undefined
      /** Only elements that contain this text, in upper or lower case. */
      readonly search?: string | undefined
      /** Only the chats in this project. */
      readonly projectId?: string | undefined
    }
    readonly response: ChatList
  }
  /** Returns a chat with its newest messages and the sources of its replies, a page at a time. A chat is a tree: a message that was edited, or answered again, has several versions, each with its own followers. The response has one branch of it, a line of messages; `versions` names the messages that can stand in place of one. Callers are signed-in people. */
  readonly getChat: {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** The most messages in the response, which has fewer if they are long. */
      readonly limit?: number | undefined
      /** The id of a message: only the messages before it in its branch are returned. */
      readonly before?: string | undefined
      /** The id of a message: the branch with this message is returned, and where it has several ends, the newest of these. The newest branch of all unless given. */
      readonly leaf?: string | undefined
    }
    readonly response: ChatWithMessages
  }
  /** Renames a chat, or moves it into a project or out of one. Callers are signed-in people. */
  readonly updateChat: {
    readonly path: {
      readonly id: string
    }
    readonly body: ChatChange
    readonly response: Chat
  }
  /** Deletes a chat with its messages. Callers are signed-in people. */
  readonly deleteChat: {
    readonly path: {
      readonly id: string
    }
    readonly response: undefined
  }
  /** Stores documents with a chat, in place of the previous ones; a reply reads the documents of its own request only. Callers are signed-in people. */
  readonly setChatDocuments: {
    readonly path: {
      readonly id: string
    }
    readonly body: ChatDocuments
    readonly response: ChatDocuments
  }
  /** Joins the running reply of a chat's last request, from its beginning, on any server. Callers are signed-in people. */
  readonly joinReply: {
    readonly path: {
      readonly id: string
    }
    readonly query?: {
      /** The id of the reply to join; the one begun last unless given. */
      readonly messageId?: string | undefined
    }
    readonly response: Response | undefined
  }
  /** Ends the replies of a chat that continue without their reader, and their cost. Callers are signed-in people. */
  readonly stopReply: {
    readonly path: {
      readonly id: string
    }
    readonly response: undefined
  }
  /** Stores an image for a message that is sent next. The message names it in `imageIds` of POST /api/chat, and a model with `seesImages` sees it. It is deleted with its chat, or within hours after a day if no message names it. Callers are signed-in people. */
  readonly uploadImage: {
    readonly response: UploadedImage
  }
  /** Returns an image of one of your messages. Callers are signed-in people. */
  readonly getImage: {
    readonly path: {
      readonly id: string
    }
    readonly response: Response
  }
  /** Lists the models with their prices, the default first, and which of them your tier includes. Callers are signed-in people. */
  readonly listModels: {
    readonly response: ModelList
  }
}
