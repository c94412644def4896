import { Cause, type Effect, Exit, type ManagedRuntime } from "effect"

/** Runs an effect as a promise that rejects with the typed error itself, or with the signal's reason when aborted. */
export const runWith =
  <R>(runtime: ManagedRuntime.ManagedRuntime<R, never>) =>
  async <A, E>(effect: Effect.Effect<A, E, R>, options?: { readonly signal?: AbortSignal | undefined }): Promise<A> => {
    const signal = options?.signal
    const exit = await runtime.runPromiseExit(effect, signal === undefined ? undefined : { signal })
    if (Exit.isSuccess(exit)) return exit.value
    if (Cause.hasInterruptsOnly(exit.cause))
      throw signal?.reason ?? new DOMException("The work was ended.", "AbortError")
    throw Cause.squash(exit.cause)
  }
