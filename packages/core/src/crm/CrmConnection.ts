import { Schema } from "effect"
import { UserId } from "../identity/UserId.ts"
import { Id } from "../storage/inputs.ts"
import { CRM_PROVIDERS, type CrmAccount } from "./CrmProvider.ts"

/** Identifies a connection: a bot has at most one to each provider. */
export const CrmConnectionName = Schema.Struct({
  owner: UserId,
  botId: Id,
  provider: Schema.Literals(CRM_PROVIDERS)
})
export type CrmConnectionName = typeof CrmConnectionName.Type

/**
 * The state of a connection: `connected`, the last call succeeded; `needs_reconnect`, it has no access any more and
 * must be made again; `error`, the last call failed, and the next one may succeed.
 */
export const CRM_STATES = ["connected", "needs_reconnect", "error"] as const
export type CrmState = (typeof CRM_STATES)[number]

/**
 * The reason of a state: `expired`, the access ended and cannot be renewed; `refused`, the provider revoked it;
 * `answer_lost`, the response to a refresh did not arrive; `client`, the provider does not accept this server;
 * `unavailable`, the provider did not answer; `unreadable`, this server cannot decrypt the tokens.
 */
export const CRM_PROBLEMS = ["expired", "refused", "answer_lost", "client", "unavailable", "unreadable"] as const
export type CrmProblem = (typeof CRM_PROBLEMS)[number]

/** The state of a connection, with its reason. */
export interface CrmStanding {
  readonly state: CrmState
  readonly problem: CrmProblem | undefined
}

/** Tokens as they are kept. */
export interface SealedTokens {
  /** Sealed for this owner, bot and provider. */
  readonly sealed: string
  readonly keyId: string
  /** Unix milliseconds: the expiry of the access token; undefined if the provider did not report it. */
  readonly expiresAt: number | undefined
  /** True if the tokens include a refresh token. */
  readonly refreshable: boolean
}

/** A connection just made. */
export interface NewCrmConnection extends CrmConnectionName, SealedTokens {
  readonly account: CrmAccount
  /** Unix milliseconds. */
  readonly connectedAt: number
  /** The person who made it, as people know them: an address, or an id. */
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
