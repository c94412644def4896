import { Effect, Schema } from "effect"
import type { UserId } from "../identity/UserId.ts"

/**
 * A kind of queued work. It is one value, declared in the domain that owns the work and listed in `parleyJobs.ts`;
 * queues use nothing else of it.
 */
export interface JobKind<Tag extends string = string, Payload = unknown> {
  /** Its name, as it is stored and listed. Never changed once jobs of it may wait. */
  readonly tag: Tag
  /** The payload of a job, as JSON. If it changes, queued jobs must stay readable. */
  readonly payload: Schema.Codec<Payload, Schema.Json>
  /** The most tries of a job, 1 or more. */
  readonly tries: number
  /** Milliseconds until the second try. Each further wait is twice as long, up to the longest. */
  readonly retryDelayMs: { readonly first: number; readonly longest: number }
  /** Milliseconds a try may take; it is interrupted then, and has failed. */
  readonly timeLimitMs: number
  /** True if no person waits for its jobs: a worker begins them only while no other job is due. */
  readonly comesLast?: boolean
  /**
   * Two jobs of one kind and owner with the same twin key are twins: the second one is not added while the first
   * waits.
   */
  twinKey(payload: Payload): string
}

/** A job of a kind, with its owner and payload: a union of kinds becomes a union distinguished by `_tag`. */
export type JobOf<Kind extends JobKind> =
  Kind extends JobKind<infer Tag, infer Payload>
    ? { readonly _tag: Tag; readonly owner: UserId; readonly payload: Payload }
    : never

/** Declares a kind of job. */
export const jobKind = <const Tag extends string, Payload>(
  tag: Tag,
  facts: Omit<JobKind<Tag, Payload>, "tag">
): JobKind<Tag, Payload> => ({ tag, ...facts })

/**
 * The key that twins share: equal for equal kind, owner and twin key, different otherwise. Any store can hold this
 * text.
 */
export const twinOf = <Payload>(owner: UserId, kind: JobKind<string, Payload>, payload: Payload): string =>
  JSON.stringify([kind.tag, owner, kind.twinKey(payload)])

/** Doublings after which any wait is the longest. Without a bound, none times two often enough would be no number. */
const DOUBLINGS_MAX = 60

/** Milliseconds between the end of the try with this number, from 1, and the next one. */
export const retryDelayMs = ({ retryDelayMs: { first, longest } }: Pick<JobKind, "retryDelayMs">, tried: number) =>
  Math.min(longest, first * 2 ** Math.min(tried - 1, DOUBLINGS_MAX))

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
  /** A worker runs it once, soon after its start, so that the first job takes less time. */
  readonly prepare?: Effect.Effect<void>
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

/** Declares the handler of `kind`: `make` returns the work of one try, and `prepare` is that of the handler. */
export const handledJob = <Tag extends string, Payload, R>(
  kind: JobKind<Tag, Payload>,
  make: Effect.Effect<(tried: JobTry<Payload>) => Effect.Effect<void, unknown>, never, R>,
  prepare: Effect.Effect<void, never, R> = Effect.void
): HandledJob<JobKind<Tag, Payload>, R> => ({
  kind,
  handler: Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    return { ...jobHandler(kind, yield* make), prepare: Effect.provideContext(prepare, context) }
  })
})
