import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { TierName } from "../tiers/Tier.ts"
import type { Cursor, Page } from "../storage/Cursor.ts"
import type { InvalidInput } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

export interface EraseInput {
  readonly userId: UserId
  /** The name of the person in the ledger's rows after the erasure: random, and derived from nothing. */
  readonly pseudonym: string
}

/** The amount of data about a person: chats, documents, and rows of the ledger. */
export interface StoredData {
  readonly chats: number
  readonly documents: number
  readonly transactions: number
}

/** The removed data; `others` is the number of all other removed records, such as bots and the person's customer. */
export interface ErasedData extends StoredData {
  readonly _tag: "Erased"
  readonly others: number
}

/** The account is not closed, or is in use again: it has credits, a debt, an open hold or a renewal to come. */
export interface AccountInUse {
  readonly _tag: "AccountInUse"
}

/** The people to list, in the order of their ids by code unit. */
export interface ListPeopleInput {
  /**
   * Part of the id, in any case, or the whole id of the payment provider's customer, or the whole address with which
   * the person signs in by e-mail; everybody if undefined.
   */
  readonly search: string | undefined
  /** This person as well, if there is a `search`: the one who signs in with its address, which another store knows. */
  readonly also?: UserId | undefined
  /** Only blocked people. */
  readonly blocked: boolean
  /** `next` of the page before. */
  readonly after: Cursor | undefined
  readonly limit: number
}

/** A person in a list. Times are in Unix milliseconds. */
export interface ListedPerson {
  readonly userId: UserId
  /** Undefined for a person without an account. */
  readonly tier: TierName | undefined
  /** The credits that can be spent; undefined for a person without an account. */
  readonly available: number | undefined
  readonly blockedAt: number | undefined
  /** Sessions that began earlier are refused; undefined if none are. */
  readonly notBefore: number | undefined
}

/**
 * The data about one person in all stores of an adapter. An erasure removes it in one transaction: chats, documents
 * with their bytes, text and passages, counts of requests. The queue removes the person's jobs itself. The rows of the
 * ledger are accounting records, which must be kept by law for years: they stay, with every amount, date and key,
 * under the pseudonym. The account must have been closed, and its rows must be consistent, so that an erasure hides no
 * manipulation.
 */
export class PersonalData extends Context.Service<
  PersonalData,
  {
    /**
     * Begins an erasure, in the unit of work of which `erase` is the end: payment events of the person wait until it
     * ends. Fails if the rows of the person's account contradict each other: an erasure would hide that.
     */
    begin(userId: UserId): Effect.Effect<void, StorageFailed>
    /**
     * Lists people with an account and people whose access was ended; no erased ones. Fails with `InvalidInput` if `after`
     * is not a cursor of this store.
     */
    list(input: ListPeopleInput): Effect.Effect<Page<ListedPerson>, InvalidInput | StorageFailed>
    /** Counts the data, and changes nothing. */
    count(userId: UserId): Effect.Effect<StoredData, StorageFailed>
    /**
     * Erases a person and returns the number of removed records and renamed rows of the ledger; erases nothing if the
     * account is in use. For a person without an account it removes all other data. Tokens that were issued to the
     * person before are refused from then on (`AccessStore`).
     */
    erase(input: EraseInput): Effect.Effect<ErasedData | AccountInUse, StorageFailed>
  }
>()("@parley/core/users/PersonalData") {}
