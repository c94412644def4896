import { Context, type Effect } from "effect"
import type { UserId } from "../../../identity/UserId.ts"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import type { DocumentKey } from "../../Document.ts"
import type { DocumentType } from "../../documentTypes.ts"
import type { DocumentFailure } from "../../reading/DocumentParser.ts"
import type { IndexedBy } from "../PassageIndex.ts"

/** Ready documents of one type that were indexed with the same versions. */
export interface IndexedAlike extends IndexedBy {
  readonly type: DocumentType
  /** True if re-indexing these documents failed. */
  readonly failed: boolean
  readonly documents: number
  readonly passages: number
}

/** A document that stays as it was because its re-indexing failed. */
export interface ReindexFailure extends DocumentKey {
  readonly userId: UserId
  readonly filename: string
  readonly failure: DocumentFailure
}

/**
 * The indexing of the ready documents of a person, or of all people, and the documents that could not be re-indexed.
 */
export class ReindexRecords extends Context.Service<
  ReindexRecords,
  {
    /** Counts ready documents by the versions with which they were indexed, in any order. */
    standing(userId: UserId | undefined): Effect.Effect<ReadonlyArray<IndexedAlike>, StorageFailed>
    /** Lists ready documents whose re-indexing failed, in the order of owners and ids. */
    failures(input: {
      readonly userId: UserId | undefined
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<ReindexFailure>, StorageFailed>
    /** Deletes the failures of a person's documents, so that these are tried again. */
    forget(userId: UserId): Effect.Effect<void, StorageFailed>
  }
>()("@parley/core/documents/reindexing/ReindexRecords") {}
