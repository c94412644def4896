import { Context, type Effect } from "effect"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import type { DocumentKey } from "../../Document.ts"

/** A run over documents that has not ended. */
export interface ReindexRun {
  /** When it began, as `Indexing.activatedAt` tells moments: what became active later is done. */
  readonly begunAt: number
  /** It had begun before this was asked. */
  readonly continued: boolean
}

/** Who is at which document. */
export interface ReindexClaim extends DocumentKey {
  /** A UUID of the process that works on it. */
  readonly holder: string
}

/** What is to be remembered of re-indexing, so that it can be stopped at any moment, and done by several at once. */
export class ReindexStore extends Context.Service<
  ReindexStore,
  {
    /** Begins a run over `scope`, or continues the one that has not ended, unless `restart` or it is older than a week. */
    begin(input: { readonly scope: string; readonly restart: boolean }): Effect.Effect<ReindexRun, StorageFailed>
    /** The run over `scope` that `begin` would continue. */
    find(scope: string): Effect.Effect<ReindexRun | undefined, StorageFailed>
    /** Ends the run over `scope`: the next one begins anew. */
    end(scope: string): Effect.Effect<void, StorageFailed>
    /**
     * Claims a ready document for so long, or again where it is the holder's already; gives whether it is the holder's now:
     * not where somebody else's claim has not run out, and not where the document is not there, or not ready.
     */
    claim(input: ReindexClaim & { readonly forMs: number }): Effect.Effect<boolean, StorageFailed>
    /** Gives a claim back, where it is still the holder's. */
    release(claim: ReindexClaim): Effect.Effect<void, StorageFailed>
    /** Forgets the runs that `begin` would not continue, and the claims that have run out; gives how many those were. */
    readonly sweep: Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/documents/reindexing/ReindexStore") {}
