import { Context, type Effect, Schema } from "effect"
import type { BotName } from "../bots/Bot.ts"
import { UserId } from "../identity/UserId.ts"
import type { Cursor, Page } from "../storage/Cursor.ts"
import { Id } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
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

/** All of a person's connections, those of one bot, or one of them. */
export interface CrmConnectionsOf {
  readonly owner: UserId
  readonly botId?: string
  readonly provider?: CrmConnectionName["provider"]
}

export interface ClaimRefreshInput {
  readonly name: CrmConnectionName
  /** The claim succeeds only if the connection still has this version. */
  readonly version: number
  /** The claim's own name: random and secret. */
  readonly lease: string
  /** After this time, by the storage's clock, another process may claim. */
  readonly leaseMs: number
}

/** `tries`: how many claims in a row, this one included, were made and not ended. */
export type RefreshClaim =
  | { readonly _tag: "Claimed"; readonly tries: number }
  | { readonly _tag: "Busy" }
  | { readonly _tag: "Changed" }

export interface EndRefreshInput {
  readonly name: CrmConnectionName
  readonly lease: string
  /** The new tokens; undefined keeps the old ones. */
  readonly tokens: SealedTokens | undefined
  readonly standing: CrmStanding
}

export interface ListSealedInput {
  /** Only tokens that were sealed by another key. */
  readonly notBy: string
  /** `next` of the page before. */
  readonly after: Cursor | undefined
  readonly limit: number
}

/** The number of connections by sealing key. */
export interface SealedCount {
  readonly keyId: string
  readonly connections: number
}

/**
 * The connections of bots. Every method is fenced by the owner: for another owner, a connection does not exist. A
 * connection exists as long as its bot.
 */
export class CrmConnectionStore extends Context.Service<
  CrmConnectionStore,
  {
    /**
     * Stores a connection in place of the old one for its bot and provider, and ends a running refresh of that.
     * Returns false, without a change, if the owner has no such bot at this moment.
     */
    save(connection: NewCrmConnection): Effect.Effect<boolean, StorageFailed>
    find(name: CrmConnectionName): Effect.Effect<StoredCrmConnection | undefined, StorageFailed>
    /** In the order of the providers' names. */
    list(bot: BotName): Effect.Effect<ReadonlyArray<StoredCrmConnection>, StorageFailed>
    /**
     * Removes connections, and returns them. If they are all connections of a bot, or of a person, no new one can be
     * made for these bots until the surrounding unit of work ends.
     */
    remove(which: CrmConnectionsOf): Effect.Effect<ReadonlyArray<StoredCrmConnection>, StorageFailed>
    /** Takes the right to refresh a connection: of any number that ask at once, one gets it. */
    claimRefresh(input: ClaimRefreshInput): Effect.Effect<RefreshClaim, StorageFailed>
    /** Ends a refresh. Returns false, without a change, if the claim is no longer the last one. */
    endRefresh(input: EndRefreshInput): Effect.Effect<boolean, StorageFailed>
  }
>()("@parley/core/crm/CrmConnectionStore") {}

/** The sealed tokens of all connections, of every owner, for a change of the sealing key. */
export class SealedConnections extends Context.Service<
  SealedConnections,
  {
    /** Connections whose tokens were sealed by another key, in the order of their names. */
    list(input: ListSealedInput): Effect.Effect<Page<StoredCrmConnection>, StorageFailed>
    /** Replaces the sealed form of the same tokens. Returns false, without a change, if the tokens have changed. */
    reseal(
      connection: StoredCrmConnection,
      sealed: Pick<SealedTokens, "sealed" | "keyId">
    ): Effect.Effect<boolean, StorageFailed>
    /** The number of connections of each sealing key. */
    readonly counts: Effect.Effect<ReadonlyArray<SealedCount>, StorageFailed>
  }
>()("@parley/core/crm/SealedConnections") {}
