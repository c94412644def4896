import { Effect } from "effect"
import type { StopSignal } from "./running/CommandContext.ts"
import { exitCodeOfSignal } from "./exitCodes.ts"

type Signal = "SIGINT" | "SIGTERM"

/** npm passes on the signal that the terminal has sent to all its processes already: one key, two signals. */
const ECHO_MS = 200

/** Takes over SIGINT and SIGTERM: the first asks the command to end in order, the second ends the process at once. */
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
