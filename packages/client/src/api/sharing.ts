// Written by `npm run docs:tables` from the table of routes: change that.

import type { ChatShare, ReplyRating } from "./shared.ts"

/** The branch of a chat to share. */
export interface ShareChoice {
  /** The id of a message: the branch with this message is shared; the newest one unless given. */
  readonly leaf?: string
}

/** A shared branch of a chat. */
export interface SharedChat {
  /** The title of the chat. */
  readonly title: string
  /** When it was shared last. */
  readonly sharedAt: string
  /** The messages, oldest first: the newest 500. */
  readonly messages: ReadonlyArray<SharedMessage>
}

/** A message of a shared chat. */
export interface SharedMessage {
  /** The message's id. */
  readonly id: string
  /** The author of the message. */
  readonly role: "user" | "assistant" | "system"
  /** The text of the message. */
  readonly content: string
  /** The passages that the reply may cite, without their texts. */
  readonly sources: ReadonlyArray<SharedSource>
  /** When the message was stored. */
  readonly createdAt: string
}

/** A document that a shared reply cites. */
export interface SharedSource {
  /** The number by which the reply cites it: `[1]`. */
  readonly number: number
  /** The document's name. */
  readonly filename: string
  /** The page on which the passage begins; null for a document without pages. */
  readonly page: number | null
}

/** The operations of this area, by their ids. */
export interface SharingOperations {
  /** Stores your rating of a reply, in place of an earlier one. Callers are signed-in people. */
  readonly rateReply: {
    readonly path: {
      readonly id: string
      readonly message: string
    }
    readonly body: ReplyRating
    readonly response: undefined
  }
  /** Takes your rating of a reply back. Callers are signed-in people. */
  readonly deleteRating: {
    readonly path: {
      readonly id: string
      readonly message: string
    }
    readonly response: undefined
  }
  /** Lets anyone with the link read a branch of a chat, up to its last message. Later messages are not shared until you share the chat again, which keeps the link. The texts of documents that replies quote are not shared, only their names, and images are not either. The share of a person who is blocked leads nowhere meanwhile. Callers are signed-in people. */
  readonly shareChat: {
    readonly path: {
      readonly id: string
    }
    readonly body: ShareChoice
    readonly response: ChatShare
  }
  /** Ends the share of a chat: its link leads nowhere from now on. Callers are signed-in people. */
  readonly unshareChat: {
    readonly path: {
      readonly id: string
    }
    readonly response: undefined
  }
  /** Returns a shared chat. Any client may call. */
  readonly getSharedChat: {
    readonly path: {
      readonly share: string
    }
    readonly response: SharedChat
  }
}
