import { Effect, Schema } from "effect"
import type { UserId } from "../identity/UserId.ts"
import type { JobKind } from "./JobKind.ts"

/** How far a try has come. */
export interface JobProgress {
  /** What it is doing, in a word: `parsing`, or `indexing`, which is counted in passages. No text of anybody's. */
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
  /** Which try this is, from 1. */
  readonly number: number
  /** No further try follows if this one fails. */
  readonly last: boolean
  /** The job had failed for good, and somebody asked for it again with `JobQueue.retry`. */
  readonly retried: boolean
  /** Says how far this try is. Costs nothing: a queue writes the latest word now and then, and none of a try that lost its job. */
  report(progress: JobProgress): void
}

/** What does the jobs of one kind. What it fails with is not kept: it may speak of somebody's data. */
export interface JobHandler {
  readonly kind: JobKind
  /** Runs a try whose payload is as it was stored, within the kind's time limit. */
  run(tried: JobTry): Effect.Effect<void, unknown>
}

/** A kind together with what builds its handler out of services. */
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

/** Declares who does the jobs of `kind`: `make` gives the work of one try. */
export const handledJob = <Tag extends string, Payload, R>(
  kind: JobKind<Tag, Payload>,
  make: Effect.Effect<(tried: JobTry<Payload>) => Effect.Effect<void, unknown>, never, R>
): HandledJob<JobKind<Tag, Payload>, R> => ({
  kind,
  handler: Effect.map(make, (handle) => jobHandler(kind, handle))
})
