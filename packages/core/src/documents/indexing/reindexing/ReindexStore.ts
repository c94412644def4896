import { Context, type Effect } from "effect"
import type { StorageFailed } from "../../../storage/StorageFailed.ts"
import type { DocumentKey } from "../../Document.ts"
import type { DocumentFailure } from "../../reading/DocumentParser.ts"

/** A run of re-indexing that has not ended. */
export interface ReindexRun {
  /**
   * The time at which the run started, on the scale of `Indexing.activatedAt`: a document whose index became active
   * later is done.
   */
  readonly begunAt: number
  /** True if the run had been started before this call. */
  readonly continued: boolean
}

/** A document, and the process that is working on it. */
export interface ReindexClaim extends DocumentKey {
  /** A UUID that identifies the process. */
  readonly holder: string
}

/**
 * The unfinished runs and the claimed documents of re-indexing, so that a run can stop at any moment, and several runs
 * can run at once.
 */
export class ReindexStore extends Context.Service<
  ReindexStore,
  {
    /**
     * Starts a run over `scope`, or continues the unfinished one, unless `restart` is true or that one is older than a
     * week.
     */
    begin(input: { readonly scope: string; readonly restart: boolean }): Effect.Effect<ReindexRun, StorageFailed>
    /** Returns the run over `scope` that `begin` would continue; undefined if there is none. */
    find(scope: string): Effect.Effect<ReindexRun | undefined, StorageFailed>
    /** Ends the run over `scope`: the next run starts from the beginning. */
    end(scope: string): Effect.Effect<void, StorageFailed>
    /**
     * Claims a ready document for some time, or extends the holder's claim; returns true if the holder has the claim
     * now. Returns false if another holder's claim has not expired, or if the document is missing or not ready.
     */
    claim(input: ReindexClaim & { readonly forMs: number }): Effect.Effect<boolean, StorageFailed>
    /**
     * Releases a claim if the holder still has it. `failure` is the reason why re-indexing the document failed: it is
     * stored (see `ReindexRecords`) until the document is claimed again.
     */
    release(
      claim: ReindexClaim & { readonly failure?: DocumentFailure | undefined }
    ): Effect.Effect<void, StorageFailed>
    /**
     * Deletes the runs that `begin` would not continue, and the expired claims without a failure; returns their number.
     */
    readonly sweep: Effect.Effect<number, StorageFailed>
  }
>()("@parley/core/documents/reindexing/ReindexStore") {}
