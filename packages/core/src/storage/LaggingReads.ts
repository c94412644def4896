import { Context, Effect } from "effect"

/**
 * True for reads whose result may be some seconds old, so that an adapter may use a replica. Reports and histories may
 * be old; a read on which a change or a decision about credits depends may not.
 */
export const LaggingReads = Context.Reference<boolean>("@parley/core/storage/LaggingReads", {
  defaultValue: () => false
})

/** Allows the reads of `work` to return results that are some seconds old. */
export const mayLag = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, LaggingReads, true)
