import { Effect, Schema } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { JobKind } from "./JobKind.ts"

/** The progress of a try. */
export interface JobProgress {
  /** The stage, in a word: `parsing`, or `indexing`, which counts passages. It contains no personal text. */
  readonly stage: string
  /** Units of this stage done so far, and of how many. */
  readonly done: number
  readonly of: number
}

/** One try at a job. */
export interface JobTry<Payload = unknown> {
  /** The job's. */
  readonly id: string
  readonly owner: UserId
  readonly payload: Payload
  /** The number of the try, from 1. */
  readonly number: number
  /** No further try follows if this one fails. */
  readonly last: boolean
  /** True if the job had failed finally and was enqueued again with `JobQueue.retry`. */
  readonly retried: boolean
  /**
   * Reports the progress of this try. It is cheap: a queue stores the latest progress at intervals, and drops that of
   * a try that lost its job.
   */
  report(progress: JobProgress): void
}

/** Executes the jobs of one kind. The text of a failure is not stored, because it may contain personal data. */
export interface JobHandler {
  readonly kind: JobKind
  /** Runs a try with the stored payload, within the kind's time limit. */
  run(tried: JobTry): Effect.Effect<void, unknown>
}

/** A kind together with the function that builds its handler from services. */
export interface HandledJob<Kind extends JobKind = JobKind, R = never> {
  readonly kind: Kind
  readonly handler: Effect.Effect<JobHandler, never, R>
}

/** A handler of jobs of `kind`. A stored payload that does not decode is a failed try. */
export const jobHandler = <Payload>(
  kind: JobKind<string, Payload>,
  handle: (tried: JobTry<Payload>) => Effect.Effect<void, unknown>
): JobHandler => {
  const decode = Schema.decodeUnknownEffect(kind.payload)
  return {
    kind: kind as JobKind,
    run: (tried) =>
      Effect.flatMap(decode(tried.payload), (payload) => handle({ ...tried, payload })).pipe(
        Effect.timeout(kind.timeLimitMs)
      )
  }
}

/** Declares the handler of `kind`: `make` returns the work of one try. */
export const handledJob = <Tag extends string, Payload, R>(
  kind: JobKind<Tag, Payload>,
  make: Effect.Effect<(tried: JobTry<Payload>) => Effect.Effect<void, unknown>, never, R>
): HandledJob<JobKind<Tag, Payload>, R> => ({
  kind,
  handler: Effect.map(make, (handle) => jobHandler(kind, handle))
})
