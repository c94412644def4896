import { Context, type Effect } from "effect"
import type { BotName } from "../bots/Bot.ts"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type {
  CrmConnectionName,
  CrmStanding,
  NewCrmConnection,
  SealedTokens,
  StoredCrmConnection
} from "./CrmConnection.ts"

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
  /** Only connections after this one. */
  readonly after: CrmConnectionName | undefined
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
    list(input: ListSealedInput): Effect.Effect<ReadonlyArray<StoredCrmConnection>, StorageFailed>
    /** Replaces the sealed form of the same tokens. Returns false, without a change, if the tokens have changed. */
    reseal(
      connection: StoredCrmConnection,
      sealed: Pick<SealedTokens, "sealed" | "keyId">
    ): Effect.Effect<boolean, StorageFailed>
    /** The number of connections of each sealing key. */
    readonly counts: Effect.Effect<ReadonlyArray<SealedCount>, StorageFailed>
  }
>()("@parley/core/crm/SealedConnections") {}
