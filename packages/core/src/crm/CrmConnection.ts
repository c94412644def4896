import type { BotName } from "../bots/Bot.ts"
import type { CrmAccount, CrmProviderId } from "./CrmProvider.ts"

/** Which connection: a bot has one at most to each provider. */
export interface CrmConnectionName extends BotName {
  readonly provider: CrmProviderId
}

/**
 * How a connection is: `connected`, as far as is known; `needs_reconnect`, it gives no access any more and can only be made
 * anew; `error`, it gave none at the last try, and may give some at the next.
 */
export const CRM_STATES = ["connected", "needs_reconnect", "error"] as const
export type CrmState = (typeof CRM_STATES)[number]

/**
 * Why a connection is as it is: `expired`, the access ended and cannot be renewed; `refused`, the provider took it back;
 * `answer_lost`, it was renewed by an answer that did not arrive; `client`, the provider does not accept this server;
 * `unavailable`, the provider did not answer; `unreadable`, this server cannot decrypt the tokens.
 */
export const CRM_PROBLEMS = ["expired", "refused", "answer_lost", "client", "unavailable", "unreadable"] as const
export type CrmProblem = (typeof CRM_PROBLEMS)[number]

/** How a connection stands. */
export interface CrmStanding {
  readonly state: CrmState
  readonly problem: CrmProblem | undefined
}

/** Tokens as they are kept. */
export interface SealedTokens {
  /** Sealed for this owner, bot and provider. */
  readonly sealed: string
  readonly keyId: string
  /** Unix milliseconds: when the access token ends; undefined where the provider did not say. */
  readonly expiresAt: number | undefined
  /** Whether there is a refresh token among them. */
  readonly refreshable: boolean
}

/** A connection just made. */
export interface NewCrmConnection extends CrmConnectionName, SealedTokens {
  readonly account: CrmAccount
  /** Unix milliseconds. */
  readonly connectedAt: number
  /** Who made it, as people call them: an address, or an id. */
  readonly connectedBy: string
}

/** A connection as it was found. */
export interface StoredCrmConnection extends NewCrmConnection, CrmStanding {
  /** Another one after each change of tokens or standing. */
  readonly version: number
}

/** A connection as its owner sees it. */
export interface CrmConnection extends CrmConnectionName, CrmStanding {
  readonly account: CrmAccount
  readonly connectedAt: number
  readonly connectedBy: string
}
