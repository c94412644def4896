import { AsyncLocalStorage } from "node:async_hooks"

/** Passes the signal of a call to the `fetch` that the SDK calls, because the SDK accepts no signal. */
const signals = new AsyncLocalStorage<AbortSignal>()

/** Runs a call of the SDK; its requests are aborted when the signal aborts. */
export const withSignal = <A>(signal: AbortSignal, call: () => Promise<A>): Promise<A> => signals.run(signal, call)

/** Returns the signal of the current call. */
export const currentSignal = (): AbortSignal | undefined => signals.getStore()
