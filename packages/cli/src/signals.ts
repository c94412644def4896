import { Effect } from "effect"
import type { StopSignal } from "./commands/Workplace.ts"
import { exitCodeOfSignal } from "./exitCodes.ts"

type Signal = "SIGINT" | "SIGTERM"

/** Takes over SIGINT and SIGTERM: the first asks the command to end in order, the second ends the process at once. */
export const listenForSignals = (): StopSignal["Service"] => {
  const first = new Promise<Signal>((resolve) => {
    let asked = false
    const receive = (signal: Signal) => {
      if (asked) process.exit(exitCodeOfSignal(signal))
      asked = true
      resolve(signal)
    }
    process.on("SIGINT", () => receive("SIGINT"))
    process.on("SIGTERM", () => receive("SIGTERM"))
  })
  return { wait: Effect.promise(() => first) }
}
