import { Effect, Layer } from "effect"
import { commandLineServices } from "./commands/commandLineServices.ts"
import { commandRunnerLayer } from "./commands/commandRunner.ts"
import { localWorkplaceLayer } from "./commands/localWorkplace.ts"
import { runCommandLine } from "./commands/runCommandLine.ts"
import { StopSignal } from "./commands/Workplace.ts"
import { listenForSignals } from "./signals.ts"

/** Runs the `parley` command with these arguments in this process; gives its exit code. */
export const runParley = (argv: ReadonlyArray<string>): Promise<number> => {
  const stopSignal = Layer.succeed(StopSignal, listenForSignals())
  const colors = process.stdout.isTTY && !process.env["NO_COLOR"]
  const workplace = Layer.provideMerge(localWorkplaceLayer(argv), stopSignal)
  return runCommandLine(argv, { colors }).pipe(
    Effect.provide(Layer.mergeAll(workplace, commandRunnerLayer, commandLineServices)),
    Effect.runPromise
  )
}
