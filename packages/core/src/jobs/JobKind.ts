import type { Schema } from "effect"
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
