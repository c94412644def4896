import { Effect, Layer } from "effect"
import { commandLineServices } from "./commands/commandLineServices.ts"
import { commandRunnerLayer } from "./commands/commandRunner.ts"
import { localCommandContextLayer } from "./commands/localCommandContext.ts"
import { runCommandLine } from "./commands/runCommandLine.ts"
import { StopSignal } from "./commands/CommandContext.ts"
import { listenForSignals } from "./signals.ts"

/** Runs the `parley` command with these arguments in this process; gives its exit code. */
export const runParley = (argv: ReadonlyArray<string>): Promise<number> => {
  const stopSignal = Layer.succeed(StopSignal, listenForSignals())
  const colors = process.stdout.isTTY && !process.env["NO_COLOR"]
  const context = Layer.provideMerge(localCommandContextLayer(argv), stopSignal)
  return runCommandLine(argv, { colors }).pipe(
    Effect.provide(Layer.mergeAll(context, commandRunnerLayer, commandLineServices)),
    Effect.runPromise
  )
}
