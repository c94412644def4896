import { Context, type Effect, Schema } from "effect"
import type { BotName } from "../bots/Bot.ts"
import { UserId } from "../identity/UserId.ts"
import type { Cursor, Page } from "../storage/Cursor.ts"
import { Id } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import { CRM_PROVIDERS, type CrmAccount } from "./CrmProvider.ts"

/** Names a connection: a bot has at most one connection to each provider. */
export const CrmConnectionName = Schema.Struct({
  owner: UserId,
  botId: Id,
  provider: Schema.Literals(CRM_PROVIDERS)
})
export type CrmConnectionName = typeof CrmConnectionName.Type

/**
 * The state of a connection. `connected`: the last call succeeded; `needs_reconnect`: it has lost its access and must
 * be made again; `error`: the last call failed, but the next one may succeed.
 */
export const CRM_STATES = ["connected", "needs_reconnect", "error"] as const
export type CrmState = (typeof CRM_STATES)[number]

/**
 * The reason for a state. `expired`: the access ended and cannot be renewed; `refused`: the provider revoked it;
 * `answer_lost`: the response to a refresh did not arrive; `client`: the provider does not accept this server;
 * `unavailable`: the provider did not answer; `unreadable`: this server cannot decrypt the tokens.
 */
export const CRM_PROBLEMS = ["expired", "refused", "answer_lost", "client", "unavailable", "unreadable"] as const
export type CrmProblem = (typeof CRM_PROBLEMS)[number]

/** The state of a connection, with its reason. */
export interface CrmStanding {
  readonly state: CrmState
  readonly problem: CrmProblem | undefined
}

/** Tokens in their stored form. */
export interface SealedTokens {
  /** The encrypted tokens, sealed for this owner, bot and provider. */
  readonly sealed: string
  readonly keyId: string
  /** Unix milliseconds: the expiry of the access token; undefined if the provider did not report it. */
  readonly expiresAt: number | undefined
  /** True if the tokens include a refresh token. */
  readonly refreshable: boolean
}

/** A new connection. */
export interface NewCrmConnection extends CrmConnectionName, SealedTokens {
  readonly account: CrmAccount
  /** Unix milliseconds. */
  readonly connectedAt: number
  /** The display name of the person who made the connection: an address or an id. */
  readonly connectedBy: string
}

/** A stored connection. */
export interface StoredCrmConnection extends NewCrmConnection, CrmStanding {
  /** A number that changes with each change of tokens or standing. */
  readonly version: number
}

/** A connection as it is shown to its owner. */
export interface CrmConnection extends CrmConnectionName, CrmStanding {
  readonly account: CrmAccount
  readonly connectedAt: number
  readonly connectedBy: string
}

/** Selects all connections of a person, those of one bot, or a single one. */
export interface CrmConnectionsOf {
  readonly owner: UserId
  readonly botId?: string
  readonly provider?: CrmConnectionName["provider"]
}

export interface ClaimRefreshInput {
  readonly name: CrmConnectionName
  /** The claim succeeds only if the connection still has this version. */
  readonly version: number
  /** The name of the claim: random and secret. */
  readonly lease: string
  /** Milliseconds, by the storage's clock, after which another process may claim the refresh. */
  readonly leaseMs: number
}

/** `tries`: the number of consecutive claims, including this one, that were not ended. */
export type RefreshClaim =
  | { readonly _tag: "Claimed"; readonly tries: number }
  | { readonly _tag: "Busy" }
  | { readonly _tag: "Changed" }

export interface EndRefreshInput {
  readonly name: CrmConnectionName
  readonly lease: string
  /** The new tokens; undefined if the stored ones stay. */
  readonly tokens: SealedTokens | undefined
  readonly standing: CrmStanding
}

export interface ListSealedInput {
  /** Only tokens that were sealed by a key other than this one. */
  readonly notBy: string
  /** The `next` of the previous page. */
  readonly after: Cursor | undefined
  readonly limit: number
}

/** The number of connections whose tokens were sealed by one key. */
export interface SealedCount {
  readonly keyId: string
  readonly connections: number
}

/**
 * Stores the connections of bots. Every method is limited to one owner: another person's connection is treated as
 * missing. A connection is removed with its bot.
 */
export class CrmConnectionStore extends Context.Service<
  CrmConnectionStore,
  {
    /**
     * Stores a connection in place of an earlier one of the same bot and provider, and ends a running refresh of that
     * one. Returns false, without a change, if the owner has no such bot.
     */
    save(connection: NewCrmConnection): Effect.Effect<boolean, StorageFailed>
    find(name: CrmConnectionName): Effect.Effect<StoredCrmConnection | undefined, StorageFailed>
    /** Lists a bot's connections, in the order of the providers' names. */
    list(bot: BotName): Effect.Effect<ReadonlyArray<StoredCrmConnection>, StorageFailed>
    /**
     * Removes connections, and returns them. If all connections of a bot or of a person are removed, no new ones can be
     * stored for these bots until the surrounding unit of work ends.
     */
    remove(which: CrmConnectionsOf): Effect.Effect<ReadonlyArray<StoredCrmConnection>, StorageFailed>
    /** Claims the right to refresh a connection: only one of several concurrent callers gets it. */
    claimRefresh(input: ClaimRefreshInput): Effect.Effect<RefreshClaim, StorageFailed>
    /** Ends a refresh. Returns false, without a change, if this is not the newest claim. */
    endRefresh(input: EndRefreshInput): Effect.Effect<boolean, StorageFailed>
  }
>()("@parley/core/crm/CrmConnectionStore") {}

/** The sealed tokens of the connections of all owners, for a change of the sealing key. */
export class SealedConnections extends Context.Service<
  SealedConnections,
  {
    /** Lists connections whose tokens were sealed by another key, in the order of their names. */
    list(input: ListSealedInput): Effect.Effect<Page<StoredCrmConnection>, StorageFailed>
    /**
     * Replaces the sealed form of unchanged tokens. Returns false, without a change, if the tokens have changed
     * meanwhile.
     */
    reseal(
      connection: StoredCrmConnection,
      sealed: Pick<SealedTokens, "sealed" | "keyId">
    ): Effect.Effect<boolean, StorageFailed>
    /** The number of connections for each sealing key. */
    readonly counts: Effect.Effect<ReadonlyArray<SealedCount>, StorageFailed>
  }
>()("@parley/core/crm/SealedConnections") {}
