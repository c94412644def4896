import type { Schema } from "effect"
import type { UserId } from "../identity/UserId.ts"

/**
 * A kind of work outside a request. It is one value, declared in the domain whose work it is and listed in
 * `parleyJobs.ts`; queues know nothing more of it than this.
 */
export interface JobKind<Tag extends string = string, Payload = unknown> {
  /** Its name, as it is stored and listed. Never changed once jobs of it may wait. */
  readonly tag: Tag
  /** What a job of this kind carries, as JSON. What waits in a queue must stay readable when this changes. */
  readonly payload: Schema.Codec<Payload, Schema.Json>
  /** How often a job is tried at most, 1 or more. */
  readonly tries: number
  /** Milliseconds until the second try. Each further wait is twice as long, up to the longest. */
  readonly retryDelayMs: { readonly first: number; readonly longest: number }
  /** Milliseconds a try may take; it is interrupted then, and has failed. */
  readonly timeLimitMs: number
  /** Two jobs of one kind and owner are twins where this is equal: the second adds none while the first waits. */
  twinKey(payload: Payload): string
}

/** A job of a kind, with its owner and what it carries: a union of kinds gives a union told apart by `_tag`. */
export type JobOf<Kind extends JobKind> =
  Kind extends JobKind<infer Tag, infer Payload>
    ? { readonly _tag: Tag; readonly owner: UserId; readonly payload: Payload }
    : never

/** Declares a kind of job. */
export const jobKind = <const Tag extends string, Payload>(
  tag: Tag,
  facts: Omit<JobKind<Tag, Payload>, "tag">
): JobKind<Tag, Payload> => ({ tag, ...facts })

/** Where twins meet: equal for equal kind, owner and twin key, different otherwise. A text any store keeps. */
export const twinOf = <Payload>(owner: UserId, kind: JobKind<string, Payload>, payload: Payload): string =>
  JSON.stringify([kind.tag, owner, kind.twinKey(payload)])

/** Doublings after which any wait is the longest. Without a bound, none times two often enough would be no number. */
const DOUBLINGS_MAX = 60

/** Milliseconds between the end of the try with this number, from 1, and the next one. */
export const retryDelayMs = ({ retryDelayMs: { first, longest } }: Pick<JobKind, "retryDelayMs">, tried: number) =>
  Math.min(longest, first * 2 ** Math.min(tried - 1, DOUBLINGS_MAX))
