import { Context, type Effect, type Scope } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"

/** Work to be done outside a request. */
export interface ProcessDocument {
  readonly _tag: "ProcessDocument"
  readonly documentId: string
  /** Whose document it is: jobs take turns by person. */
  readonly userId: UserId
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
 * and a try whose worker died counts as failed.
 *
 * After every `enqueue` a run of the job begins. While a job for a document waits, enqueueing it again adds none; while it
 * runs, even when that run is just ending, it runs once more afterwards. It never runs twice at a time. Jobs take turns by
 * person, and one person's jobs never take all places of a worker that has several.
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
