import { Effect, Schema } from "effect"
import type { UserId } from "../identity/UserId.ts"

/**
 * A kind of queued work. A kind is one value, declared in the domain to which the work belongs, and listed in
 * `parleyJobs.ts`; queues know nothing else about it.
 */
export interface JobKind<Tag extends string = string, Payload = unknown> {
  /** The name of the kind, as it is stored and listed. Must not change once jobs of this kind may be queued. */
  readonly tag: Tag
  /** The schema of a job's payload as JSON. After a change of the schema, queued jobs must still be readable. */
  readonly payload: Schema.Codec<Payload, Schema.Json>
  /** The maximum number of tries of a job, 1 or more. */
  readonly tries: number
  /** Milliseconds until the second try. Each further wait is twice as long, up to `longest`. */
  readonly retryDelayMs: { readonly first: number; readonly longest: number }
  /** The time limit of a try in milliseconds: the try is then interrupted and counts as failed. */
  readonly timeLimitMs: number
  /** True if no person waits for jobs of this kind: a worker begins one only if no other job is due. */
  readonly comesLast?: boolean
  /**
   * Returns the twin key of a payload. Two jobs of the same kind, owner and twin key are twins: a second twin is not
   * added while the first waits.
   */
  twinKey(payload: Payload): string
}

/** A job of a kind, with its owner and payload. A union of kinds becomes a union of jobs that `_tag` distinguishes. */
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
 * The key that twins share: equal for the same kind, owner and twin key, otherwise different. Any store can contain
 * this text.
 */
export const twinOf = <Payload>(owner: UserId, kind: JobKind<string, Payload>, payload: Payload): string =>
  JSON.stringify([kind.tag, owner, kind.twinKey(payload)])

/**
 * The maximum number of doublings, after which any wait has its maximum. Without it, a first wait of zero multiplied by
 * an infinite power would not be a number.
 */
const DOUBLINGS_MAX = 60

/** Returns the milliseconds between the end of the try with this number, from 1, and the next try. */
export const retryDelayMs = ({ retryDelayMs: { first, longest } }: Pick<JobKind, "retryDelayMs">, tried: number) =>
  Math.min(longest, first * 2 ** Math.min(tried - 1, DOUBLINGS_MAX))

/** The progress of a try. */
export interface JobProgress {
  /** The name of the stage: `parsing`, or `indexing`, which counts passages. Contains no personal data. */
  readonly stage: string
  /** The number of finished units of this stage; `of` is the number of all units. */
  readonly done: number
  readonly of: number
}

/** One try at a job. */
export interface JobTry<Payload = unknown> {
  /** The id of the job. */
  readonly id: string
  readonly owner: UserId
  readonly payload: Payload
  /** The number of the try, from 1. */
  readonly number: number
  /** True if no further try follows when this one fails. */
  readonly last: boolean
  /** True if the job had failed with its last try and was started again with `JobQueue.retry`. */
  readonly retried: boolean
  /**
   * Reports the progress of this try. Calls cost little: a queue stores the latest progress at intervals, and ignores
   * progress of a try that has lost its job.
   */
  report(progress: JobProgress): void
}

/** Runs the jobs of one kind. Texts of failures are not stored, because they may contain personal data. */
export interface JobHandler {
  readonly kind: JobKind
  /** Runs a try with the stored payload, within the kind's time limit. */
  run(tried: JobTry): Effect.Effect<void, unknown>
  /** Run once by a worker, soon after its start, so that the first job takes less time. */
  readonly prepare?: Effect.Effect<void>
}

/** A kind, and the function that builds its handler from services. */
export interface HandledJob<Kind extends JobKind = JobKind, R = never> {
  readonly kind: Kind
  readonly handler: Effect.Effect<JobHandler, never, R>
}

/** Makes the handler for jobs of `kind`. A stored payload that cannot be decoded counts as a failed try. */
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

/** Declares the handler of `kind`: `make` returns the work of one try, and `prepare` becomes that of the handler. */
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
