import { Context, type Effect, type Scope } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { InvalidInput } from "../storage/inputs.ts"
import type { StorageFailed } from "../storage/StorageFailed.ts"
import type { JobNotFailed, JobNotFound } from "./errors.ts"
import type { JobHandler, JobKind } from "./JobKind.ts"
import type { JobPage, JobQuery, JobRecord } from "./JobRecord.ts"

/**
 * Jobs that survive the process. Each job is tried until it succeeds or has used up its tries; a try whose worker died
 * counts as failed. After every `enqueue` a run of the job begins: while a twin waits, no job is added; while a twin
 * runs, even if that run is ending, it runs once more afterwards. Twins never run at the same time. Owners take turns
 * over jobs of all kinds, and the jobs of one owner never occupy all places of a worker that has several.
 */
export class JobQueue extends Context.Service<
  JobQueue,
  {
    /** Adds a job, as part of the surrounding unit of work: if that is rolled back, there is no job. */
    enqueue<Payload>(
      owner: UserId,
      kind: JobKind<string, Payload>,
      payload: Payload
    ): Effect.Effect<void, StorageFailed>
    /**
     * Enqueues the jobs that have no waiting or running twin; returns their number. For tasks that search for lost
     * jobs.
     */
    ensure<Payload>(
      owner: UserId,
      kind: JobKind<string, Payload>,
      payloads: ReadonlyArray<Payload>
    ): Effect.Effect<number, StorageFailed>
    /** Returns the owner's job with this id. */
    find(owner: UserId, jobId: string): Effect.Effect<JobRecord | undefined, StorageFailed>
    /**
     * Lists the jobs of one owner; or of all people, for operators, if the owner is undefined. Newest first. Jobs that
     * are done are listed for a day, failed ones for a month. Fails with `InvalidInput` if `after` is not a cursor of
     * this store.
     */
    list(owner: UserId | undefined, query: JobQuery): Effect.Effect<JobPage, InvalidInput | StorageFailed>
    /**
     * Runs a failed job again, with all its tries, under the same id; if a twin waits or runs meanwhile, it does the
     * same as `enqueue`. Returns the job that will run.
     */
    retry(owner: UserId, jobId: string): Effect.Effect<JobRecord, JobNotFound | JobNotFailed | StorageFailed>
    /**
     * Removes all jobs of an owner, even a running one, whose result is then not stored. Part of the surrounding unit
     * of work.
     */
    removeAll(owner: UserId): Effect.Effect<void, StorageFailed>
    /**
     * Works on jobs of the handlers' kinds until the scope closes; then the running try may finish within the
     * implementation's time limit. Jobs of other kinds are left to workers that have handlers for them.
     */
    work(handlers: ReadonlyArray<JobHandler>): Effect.Effect<void, StorageFailed, Scope.Scope>
  }
>()("@parley/core/jobs/JobQueue") {}
