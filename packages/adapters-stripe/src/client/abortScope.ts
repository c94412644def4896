import { AsyncLocalStorage } from "node:async_hooks"

/** The SDK accepts no signal for a call; the `fetch` that it calls finds the signal here. */
const signals = new AsyncLocalStorage<AbortSignal>()

/** Runs a call of the SDK whose requests end when the signal aborts. */
export const withSignal = <A>(signal: AbortSignal, call: () => Promise<A>): Promise<A> => signals.run(signal, call)

/** The signal of the call under way. */
export const currentSignal = (): AbortSignal | undefined => signals.getStore()
