import { Cause, type Effect, Exit, type ManagedRuntime } from "effect"
import { ParleyClosed } from "./errors.ts"

/** Runtimes whose Parley was closed. */
const closed = new WeakSet<object>()

/** Has every call over this runtime reject with `ParleyClosed` from now on. */
export const refuseCalls = (runtime: object): void => void closed.add(runtime)

/**
 * Runs an effect as a promise that rejects with the typed error itself, with the signal's reason when aborted, or with
 * `ParleyClosed` where the runtime was closed before or meanwhile.
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
