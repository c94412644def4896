import { Cause, type Effect, Exit, type ManagedRuntime, Schema } from "effect"
import type { ParleyServices } from "../parleyLayer.ts"

/** This Parley was closed: running calls were ended, and new ones are refused. */
export class ParleyClosed extends Schema.TaggedError<ParleyClosed>()("ParleyClosed", {}) {
  readonly code = "parley_closed"
  override get message() {
    return "This Parley is closed. Make another one with createParley."
  }
}

/** The services of a Parley, as a runtime. */
export type ParleyRuntime = ManagedRuntime.ManagedRuntime<ParleyServices, never>

/** Runs an effect over the services of one Parley as a promise. */
export type Run = <A, E>(
  effect: Effect.Effect<A, E, ParleyServices>,
  options?: { readonly signal?: AbortSignal | undefined }
) => Promise<A>

/** The calls over the services of one Parley, until it is closed. */
export class ParleyCalls {
  /** Functions that end open replies and metered work, one for each, as if its reader had left. */
  readonly open = new Set<() => Promise<void>>()
  readonly #runtime: ParleyRuntime
  #isClosed = false

  constructor(runtime: ParleyRuntime) {
    this.#runtime = runtime
  }

  /**
   * Rejects with the typed error itself, with the reason of the signal if it is aborted, or with `ParleyClosed` if
   * Parley was closed before or during the call.
   */
  readonly run: Run = async (effect, { signal } = {}) => {
    if (this.#isClosed) throw new ParleyClosed()
    const exit = await this.#runtime.runPromiseExit(effect, signal === undefined ? undefined : { signal })
    if (Exit.isSuccess(exit)) return exit.value
    if (Cause.hasInterruptsOnly(exit.cause)) throw signal?.aborted === true ? signal.reason : new ParleyClosed()
    throw Cause.squash(exit.cause)
  }

  async close(): Promise<void> {
    await Promise.all([...this.open].map((leave) => leave()))
    this.#isClosed = true
    await this.#runtime.dispose()
  }
}
