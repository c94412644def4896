import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

export interface EraseInput {
  readonly userId: UserId
  /** What the ledger's rows name instead of the person: random, and derived from nothing. */
  readonly pseudonym: string
}

/** How much is stored about a person: chats, documents, and rows of the ledger. */
export interface StoredData {
  readonly chats: number
  readonly documents: number
  readonly transactions: number
}

/** The account is not closed, or is in use again: it has credits, a debt, an open hold or a renewal to come. */
export interface AccountInUse {
  readonly _tag: "AccountInUse"
}

/**
 * What is stored about one person, over all stores of an adapter.
 *
 * An erasure removes it in one transaction: chats, documents with their bytes, text and passages, counts of requests. Jobs are not
 * among it: the queue removes its own.
 * The rows of the ledger are records of account, which the law has kept for years: they stay, every amount, date and key as
 * it was, and name the pseudonym where they named the person. The account must have been closed, and its rows must agree
 * with each other, so that an erasure hides no change.
 */
export class PersonalData extends Context.Service<
  PersonalData,
  {
    /**
     * Begins an erasure, in the unit of work of which `erase` is the end: payment events of the person wait until it ends. Fails
     * if the rows of the person's account contradict each other: an erasure would hide that.
     */
    begin(userId: UserId): Effect.Effect<void, StorageFailed>
    /** Counts what is stored, and changes nothing. */
    count(userId: UserId): Effect.Effect<StoredData, StorageFailed>
    /**
     * Erases a person, or nothing where the account is in use, and says how much was removed and how many rows of the
     * ledger were renamed. Somebody without an account loses what else there is.
     */
    erase(input: EraseInput): Effect.Effect<({ readonly _tag: "Erased" } & StoredData) | AccountInUse, StorageFailed>
  }
>()("@parley/core/users/PersonalData") {}
