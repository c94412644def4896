import { Context, type Effect } from "effect"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import type { DocumentKey } from "../../Document.ts"
import type { DocumentFailure } from "../../reading/DocumentParser.ts"

/** A run over documents that has not ended. */
export interface ReindexRun {
  /** Time of its begin, on the scale of `Indexing.activatedAt`: an indexing that became active later is done. */
  readonly begunAt: number
  /** It had begun before this was asked. */
  readonly continued: boolean
}

/** A document, and the process that works on it. */
export interface ReindexClaim extends DocumentKey {
  /** A UUID of the process that works on it. */
  readonly holder: string
}

/**
 * The unfinished runs and the claimed documents of re-indexing, so that a run can stop at any moment, and several can
 * run at once.
 */
export class ReindexStore extends Context.Service<
  ReindexStore,
  {
    /** Begins a run over `scope`, or continues the one that has not ended, unless `restart` or it is older than a week. */
    begin(input: { readonly scope: string; readonly restart: boolean }): Effect.Effect<ReindexRun, StorageFailed>
    /** The run over `scope` that `begin` would continue. */
    find(scope: string): Effect.Effect<ReindexRun | undefined, StorageFailed>
    /** Ends the run over `scope`: the next one starts from the beginning. */
    end(scope: string): Effect.Effect<void, StorageFailed>
    /**
     * Claims a ready document for some time, or extends the holder's claim; returns whether the holder has it now. It
     * does not if another holder's claim has not expired, or if the document is missing or not ready.
     */
    claim(input: ReindexClaim & { readonly forMs: number }): Effect.Effect<boolean, StorageFailed>
    /**
     * Releases a claim if it is still the holder's. `failure` is the reason for which re-indexing the document failed: it
     * is kept (see `ReindexRecords`) until the document is claimed again.
     */
    release(
      claim: ReindexClaim & { readonly failure?: DocumentFailure | undefined }
    ): Effect.Effect<void, StorageFailed>
    /** Forgets the runs that `begin` would not continue, and the expired claims without a failure; returns how many. */
    readonly sweep: Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/documents/reindexing/ReindexStore") {}
