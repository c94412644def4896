import { Context, type Effect, type Scope } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { InvalidInput } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { JobNotFailed, JobNotFound } from "./errors.ts"
import type { JobHandler, JobKind } from "./JobKind.ts"
import type { JobPage, JobQuery, JobRecord } from "./JobRecord.ts"

/**
 * Jobs that survive the process. Each is tried until it succeeds or its tries are used up; a try whose worker died
 * counts as failed. After every `enqueue` a run of the job begins. While a twin waits, enqueueing adds no job; while a
 * twin runs, even if that run is just ending, it runs once more afterwards. Twins never run at the same time. Owners
 * take turns over jobs of all kinds, and one owner's jobs never occupy all places of a worker that has several.
 */
export class JobQueue extends Context.Service<
  JobQueue,
  {
    /** Joins the surrounding unit of work: if that is rolled back, there is no job. */
    enqueue<Payload>(
      owner: UserId,
      kind: JobKind<string, Payload>,
      payload: Payload
    ): Effect.Effect<void, StorageFailed>
    /**
     * Enqueues the jobs that have no waiting or running twin; returns their number. For sweepers that look for lost
     * jobs.
     */
    ensure<Payload>(
      owner: UserId,
      kind: JobKind<string, Payload>,
      payloads: ReadonlyArray<Payload>
    ): Effect.Effect<number, StorageFailed>
    /** The owner's job of this id. */
    find(owner: UserId, jobId: string): Effect.Effect<JobRecord | undefined, StorageFailed>
    /**
     * One owner's jobs, or for operators, without an owner, the jobs of all people; newest first. Jobs that are done
     * are listed for a day, those that failed for a month. Fails with `InvalidInput` if `after` is not a cursor of this
     * store.
     */
    list(owner: UserId | undefined, query: JobQuery): Effect.Effect<JobPage, InvalidInput | StorageFailed>
    /**
     * Runs a failed job again, with all its tries, under the same id; if a twin waits or runs meanwhile, it behaves as
     * `enqueue`. Returns the job that represents it now.
     */
    retry(owner: UserId, jobId: string): Effect.Effect<JobRecord, JobNotFound | JobNotFailed | StorageFailed>
    /** Removes all jobs of an owner, also one that runs: how that ends is not kept. Joins the surrounding unit of work. */
    removeAll(owner: UserId): Effect.Effect<void, StorageFailed>
    /**
     * Works on jobs of the handlers' kinds until the scope closes; then it finishes the running try, within the
     * implementation's time limit. Jobs of other kinds are left to workers with a handler for them.
     */
    work(handlers: ReadonlyArray<JobHandler>): Effect.Effect<void, StorageFailed, Scope.Scope>
  }
>()("@parley/core/jobs/JobQueue") {}
