import { Context, type Effect, type Scope } from "effect"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** Work to be done outside a request. */
export interface ProcessDocument {
  readonly _tag: "ProcessDocument"
  readonly documentId: string
}
export type Job = ProcessDocument

/** One try at a job. */
export interface Attempt<J extends Job = Job> {
  readonly job: J
  /** No further try follows if this one fails. */
  readonly last: boolean
}

/**
 * Jobs that survive the process: each is tried until it succeeds or its tries are used up, at least once per try,
 * and a try whose worker died counts as failed. While a job for a document waits or runs, enqueueing it again adds none.
 */
export class JobQueue extends Context.Service<
  JobQueue,
  {
    /** Joins the surrounding unit of work: rolled back, there is no job. */
    enqueue(job: Job): Effect.Effect<void, StorageFailed>
    /** Works on jobs until the scope closes; a try that runs then is finished first, within the implementation's bound. */
    work(handler: (attempt: Attempt) => Effect.Effect<void, unknown>): Effect.Effect<void, StorageFailed, Scope.Scope>
  }
>()("@parley/core/documents/JobQueue") {}
