import { Effect, Layer } from "effect"
import { commandLineServices } from "./running/commandLineServices.ts"
import { commandRunnerLayer } from "./running/commandRunner.ts"
import { localCommandContextLayer } from "./running/localCommandContext.ts"
import { runCommandLine } from "./running/runCommandLine.ts"
import { StopSignal } from "./running/CommandContext.ts"
import { listenForSignals } from "./signals.ts"
import { type GivenSurroundings, surroundingsLayer } from "./Surroundings.ts"

const colorsHere = (): boolean => process.stdout.isTTY && !process.env["NO_COLOR"]

/**
 * The stop signal of a command inside another program. Only that program can stop the command, and the command never
 * ends the process.
 */
const stopOf = ({ stop }: GivenSurroundings): StopSignal["Service"] => ({
  wait: stop === undefined ? Effect.never : Effect.promise(() => stop),
  end: () => undefined
})

/**
 * Runs the `parley` command with these arguments in this process, and returns its exit code. By default it uses the
 * environment, the working folder, the output and the signals of this process.
 */
export const runParley = (argv: ReadonlyArray<string>, given?: GivenSurroundings): Promise<number> => {
  const signal = given === undefined ? listenForSignals() : stopOf(given)
  const context = Layer.provideMerge(localCommandContextLayer(argv), Layer.succeed(StopSignal, signal))
  const surroundings = given === undefined ? Layer.empty : surroundingsLayer(given)
  const services = Layer.provideMerge(Layer.mergeAll(context, commandRunnerLayer, commandLineServices), surroundings)
  return runCommandLine(argv, { colors: given === undefined && colorsHere() }).pipe(
    Effect.provide(services),
    Effect.runPromise
  )
}
