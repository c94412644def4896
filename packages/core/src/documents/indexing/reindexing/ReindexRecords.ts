import { Context, type Effect } from "effect"
import type { UserId } from "../../../identity/UserId.ts"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import type { DocumentKey } from "../../Document.ts"
import type { DocumentType } from "../../documentTypes.ts"
import type { DocumentFailure } from "../../reading/DocumentParser.ts"
import type { IndexedBy } from "../PassageIndex.ts"

/** Ready documents of one type that were indexed alike. */
export interface IndexedAlike extends IndexedBy {
  readonly type: DocumentType
  /** Re-indexing them failed. */
  readonly failed: boolean
  readonly documents: number
  readonly passages: number
}

/** A document that stays as it was because re-indexing it failed. */
export interface ReindexFailure extends DocumentKey {
  readonly userId: UserId
  readonly filename: string
  readonly failure: DocumentFailure
}

/** The indexes of the ready documents of a person, or of all people, and the documents that could not be re-indexed. */
export class ReindexRecords extends Context.Service<
  ReindexRecords,
  {
    /** Counts ready documents by how they were indexed, in any order. */
    standing(userId: UserId | undefined): Effect.Effect<ReadonlyArray<IndexedAlike>, StorageFailed>
    /** Ready documents whose re-indexing failed, by owner and id. */
    failures(input: {
      readonly userId: UserId | undefined
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<ReindexFailure>, StorageFailed>
    /** Forgets the failures of a person's documents, so that they are tried again. */
    forget(userId: UserId): Effect.Effect<void, StorageFailed>
  }
>()("@parley/core/documents/reindexing/ReindexRecords") {}
