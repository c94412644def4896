import { Context, type Effect } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { FoundPassage, Passage } from "./Document.ts"

export interface SearchInput {
  readonly userId: UserId
  /** Only passages of these documents, and only where `userId` owns them. Empty finds nothing. */
  readonly documentIds: ReadonlyArray<string>
  readonly query: string
  readonly limit: number
}

/** Passages, searchable. Term statistics are the owner's alone, so that scores tell nothing of anybody else. */
export class PassageIndex extends Context.Service<
  PassageIndex,
  {
    /** Puts a document's passages in place of those it had, all at once. */
    replace(input: {
      readonly userId: UserId
      readonly documentId: string
      readonly passages: ReadonlyArray<Passage>
    }): Effect.Effect<void, StorageFailed>
    /** The best passages first: by score, then by document and position, so that equal scores have one order. */
    search(input: SearchInput): Effect.Effect<ReadonlyArray<FoundPassage>, StorageFailed>
  }
>()("@parley/core/documents/PassageIndex") {}
