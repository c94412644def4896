// Written by `npm run docs:tables` from the table of routes: change that.

import type { Quotas } from "./shared.ts"

/** The confirmation of an erasure. */
export interface AccountDeletion {
  /** Your own id: it confirms the deletion. */
  readonly userId: string
}

/** The erased data. */
export interface ErasedAccount {
  /** The number of erased chats. */
  readonly chats: number
  /** The number of erased documents. */
  readonly documents: number
  /** The rows of the ledger that stay, under a random name. */
  readonly transactions: number
}

/** The signed-in person. */
export interface Me {
  /** Your id, as the identity provider names you. */
  readonly userId: string
  /** Your e-mail address; null if the identity provider does not tell it. */
  readonly email: string | null
  /** Your name, if the identity provider tells it. */
  readonly name?: string
  /** Your role as an operator, if you have one. */
  readonly role?: "owner" | "support"
  /** When you have to sign in again, where that is known. */
  readonly sessionExpiresAt: string | null
  readonly tier: Tier
  readonly uploads: UploadLimits
}

/** Your preferences for replies to your own chats. */
export interface Preferences {
  /** Instructions for the model before every conversation, at most 4,000 characters; empty for none. */
  readonly instructions: string
  /** The model that answers if a request names none. The first of the tier answers if this is null, the tier does not have the model, or the server does not run it. */
  readonly modelId: string | null
}

/** The session of a request. */
export interface Session {
  /** Null if no person is signed in. */
  readonly me: Me | null
}

/** The end of a session. */
export interface SignedOut {
  /** The address of the next page, if there is one. */
  readonly url: string | null
}

/** A tier with its models and quotas. */
export interface Tier {
  /** The tier's id. */
  readonly id: string
  /** The name shown to people. */
  readonly name: string
  /** The credits of each period. */
  readonly monthlyCredits: number
  /** Ids of the models it includes and this server can run, its default first. */
  readonly models: ReadonlyArray<string>
  readonly quotas: Quotas
}

/** The limits of uploads. */
export interface UploadLimits {
  /** The most bytes of a file. */
  readonly maxBytes: number
  /** The types that may be uploaded. */
  readonly types: ReadonlyArray<string>
  /** The extensions of files of these types. */
  readonly extensions: ReadonlyArray<string>
}

/** The operations of this area, by their ids. */
export interface PersonOperations {
  /** Returns the signed-in person, their tier and the limits of uploads. Callers are signed-in people. */
  readonly getMe: {
    readonly response: Me
  }
  /** Returns the signed-in person, as /api/me does, or null. Any client may call; a signed-in person is recognised. */
  readonly getSession: {
    readonly response: Session
  }
  /** Returns your instructions for replies, and your default model. Callers are signed-in people. */
  readonly getPreferences: {
    readonly response: Preferences
  }
  /** Stores your instructions for replies, and your default model, in place of earlier ones. The instructions stand before every conversation of yours and count as input. A request that names a model gets that model; the default model is ignored if your tier does not have it or this server does not run it. Other servers of the deployment follow within ten seconds. Callers are signed-in people. */
  readonly setPreferences: {
    readonly body: Preferences
    readonly response: Preferences
  }
  /** Ends your session: its token is refused from now on, also if another person has copied it. Callers are signed-in people. */
  readonly signOut: {
    readonly response: SignedOut
  }
  /** Returns all stored data about you as lines of JSON; the last one has the kind `end`. Callers are people who signed in a short time ago. */
  readonly exportAccount: {
    readonly response: Response
  }
  /** Erases you: chats, documents, bots and credits are gone, subscriptions end at once and without a refund, and you are signed out everywhere. Callers are people who signed in a short time ago. */
  readonly deleteAccount: {
    readonly body: AccountDeletion
    readonly response: ErasedAccount
  }
}
