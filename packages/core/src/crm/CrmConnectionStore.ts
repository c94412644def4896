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
  /** Only where the connection is of this version still. */
  readonly version: number
  /** The claim's own name: random, and known to nobody else. */
  readonly lease: string
  /** After this time, by the storage's clock, somebody else may claim. */
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
  /** What is kept instead; undefined where the tokens stay. */
  readonly tokens: SealedTokens | undefined
  readonly standing: CrmStanding
}

export interface ListSealedInput {
  /** Only what another key sealed. */
  readonly notBy: string
  /** Only what comes after this one. */
  readonly after: CrmConnectionName | undefined
  readonly limit: number
}

/** How many connections a key sealed. */
export interface SealedCount {
  readonly keyId: string
  readonly connections: number
}

/**
 * The connections of bots. All but the last three methods are fenced by the owner: another owner's connection is as one
 * that does not exist. A connection is there as long as its bot.
 */
export class CrmConnectionStore extends Context.Service<
  CrmConnectionStore,
  {
    /**
     * Keeps a connection in the place of what there was for its bot and provider, and ends a refresh of that. False, and
     * nothing kept, where the owner has no such bot at this moment.
     */
    save(connection: NewCrmConnection): Effect.Effect<boolean, StorageFailed>
    find(name: CrmConnectionName): Effect.Effect<StoredCrmConnection | undefined, StorageFailed>
    /** In the order of the providers' names. */
    list(bot: BotName): Effect.Effect<ReadonlyArray<StoredCrmConnection>, StorageFailed>
    /**
     * Removes connections, and gives what was removed. Where they are all of a bot, or of a person, none is made for these
     * bots until the unit of work that this is part of ends.
     */
    remove(which: CrmConnectionsOf): Effect.Effect<ReadonlyArray<StoredCrmConnection>, StorageFailed>
    /** Takes the right to refresh a connection: of any number that ask at once, one gets it. */
    claimRefresh(input: ClaimRefreshInput): Effect.Effect<RefreshClaim, StorageFailed>
    /** Ends a refresh. False, and nothing changed, where the claim is not the last one any more. */
    endRefresh(input: EndRefreshInput): Effect.Effect<boolean, StorageFailed>
    /** Connections whose tokens were sealed by another key, over all owners, in the order of their names. */
    listSealed(input: ListSealedInput): Effect.Effect<ReadonlyArray<StoredCrmConnection>, StorageFailed>
    /** Replaces what seals the same tokens. False, and nothing changed, where they are other ones by now. */
    reseal(
      connection: StoredCrmConnection,
      sealed: Pick<SealedTokens, "sealed" | "keyId">
    ): Effect.Effect<boolean, StorageFailed>
    readonly countSealed: Effect.Effect<ReadonlyArray<SealedCount>, StorageFailed>
  }
>()("@parley/core/crm/CrmConnectionStore") {}
