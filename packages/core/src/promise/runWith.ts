import { Cause, type Effect, Exit, type ManagedRuntime, Schema } from "effect"

/** This Parley was closed: no call begins, and those that ran were ended. */
export class ParleyClosed extends Schema.TaggedError<ParleyClosed>()("ParleyClosed", {}) {
  readonly code = "parley_closed"
  override get message() {
    return "This Parley is closed. Make another one with createParley."
  }
}

/** The replies that are being read: each entry ends one, as its reader's leaving would. */
export type OpenReplies = Set<() => Promise<void>>

/** Runtimes whose Parley was closed. */
const closed = new WeakSet<object>()

/** Has every call over this runtime reject with `ParleyClosed` from now on. */
export const refuseCalls = (runtime: object): void => void closed.add(runtime)

/**
 * Runs an effect as a promise that rejects with the typed error itself, with the signal's reason when aborted, or with
 * `ParleyClosed` if the runtime was closed before or meanwhile.
 */
export const runWith =
  <R>(runtime: ManagedRuntime.ManagedRuntime<R, never>) =>
  async <A, E>(effect: Effect.Effect<A, E, R>, options?: { readonly signal?: AbortSignal | undefined }): Promise<A> => {
    if (closed.has(runtime)) throw new ParleyClosed()
    const signal = options?.signal
    const exit = await runtime.runPromiseExit(effect, signal === undefined ? undefined : { signal })
    if (Exit.isSuccess(exit)) return exit.value
    if (Cause.hasInterruptsOnly(exit.cause)) throw signal?.aborted === true ? signal.reason : new ParleyClosed()
    throw Cause.squash(exit.cause)
  }
