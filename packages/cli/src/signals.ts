import { Effect } from "effect"
import type { StopSignal } from "./running/CommandContext.ts"
import { exitCodeOfSignal } from "./exitCodes.ts"

type Signal = "SIGINT" | "SIGTERM"

/**
 * Two signals within this time count as one: the terminal sends a signal to all processes, and npm sends it once more.
 */
const ECHO_MS = 200

/**
 * Handles SIGINT and SIGTERM: the first one asks the command to stop in order, the second one ends the process at once.
 */
export const listenForSignals = (): StopSignal["Service"] => {
  const first = new Promise<Signal>((resolve) => {
    let askedAt: number | undefined
    const receive = (signal: Signal) => {
      askedAt ??= performance.now()
      if (performance.now() - askedAt > ECHO_MS) process.exit(exitCodeOfSignal(signal))
      resolve(signal)
    }
    process.on("SIGINT", () => receive("SIGINT"))
    process.on("SIGTERM", () => receive("SIGTERM"))
  })
  return { wait: Effect.promise(() => first), end: (exitCode) => process.exit(exitCode) }
}
