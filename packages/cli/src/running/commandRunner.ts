import { Console, Effect, Layer } from "effect"
import { commandLineServices } from "./commandLineServices.ts"
import { ProgressOutput } from "./ProgressOutput.ts"
import { runCommandLine } from "./runCommandLine.ts"
import { CommandRunner, StopSignal, CommandContext } from "./CommandContext.ts"

/** Runs the commands that other processes send with the services of this process. */
export const commandRunnerLayer: Layer.Layer<CommandRunner> = Layer.succeed(
  CommandRunner,
  CommandRunner.of({
    run: ({ argv, config, console, parts, progress }) =>
      runCommandLine(argv, { colors: false }).pipe(
        Effect.provideService(CommandContext, {
          settings: Effect.succeed({ config, problems: [] }),
          askServer: () => Effect.succeed(undefined),
          run: (work) => Effect.provideContext(work, parts)
        }),
        Effect.provideService(StopSignal, { wait: Effect.never, end: () => undefined }),
        Effect.provideService(Console.Console, console),
        Effect.provideService(ProgressOutput, progress),
        Effect.provide(
          Layer.mergeAll(
            commandLineServices,
            Layer.suspend(() => commandRunnerLayer)
          )
        )
      )
  })
)
