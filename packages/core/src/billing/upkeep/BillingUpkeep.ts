import { Context, type Effect } from "effect"
import type { UserId } from "../../identity/UserId.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"

export interface ForgetInput {
  /** Events of people that are done and were received before this moment lose their content. Unix milliseconds. */
  readonly doneBefore: number
  /** Events that name nobody, or still wait, and were received before this moment are deleted. Unix milliseconds. */
  readonly unmatchedBefore: number
  /** At most so many of each. */
  readonly limit: number
}

export interface Forgotten {
  /** Events that lost their content. */
  readonly reduced: number
  readonly deleted: number
}

/** A person who pays for several subscriptions at once, of which one gives a plan. */
export interface SeveralSubscriptions {
  readonly userId: UserId
  /** Those that are paid for and go on, by their ids. */
  readonly subscriptions: ReadonlyArray<string>
}

export interface SeveralInput {
  /** Only people behind this one, in the order of their ids. */
  readonly after: UserId | undefined
  readonly limit: number
}

/** What is done with the stored payments outside of events. */
export class BillingUpkeep extends Context.Service<
  BillingUpkeep,
  {
    /**
     * Removes content that is not needed any more. Of a done event everything remains that followed from it, and its id,
     * so that another copy of it changes nothing. Events that were refused or could not be read keep their content.
     */
    forget(input: ForgetInput): Effect.Effect<Forgotten, StorageFailed>
    /** The moment until which all events of the provider are known to be here, in Unix milliseconds; undefined where none is. */
    readonly caughtUpTo: Effect.Effect<number | undefined, StorageFailed>
    /** Notes such a moment; one before that which is noted changes nothing. */
    readonly noteCaughtUp: (at: number) => Effect.Effect<void, StorageFailed>
    /** People who pay for several subscriptions at once, by their ids. */
    several(input: SeveralInput): Effect.Effect<ReadonlyArray<SeveralSubscriptions>, StorageFailed>
  }
>()("@parley/core/billing/upkeep/BillingUpkeep") {}
