import { Console, Effect, Exit } from "effect"
import { Command } from "effect/cli"
import { version } from "../version.ts"
import { Surroundings } from "../Surroundings.ts"
import { endingOfCause } from "./failures.ts"
import { parley } from "../commands/parley.ts"
import { presenterLayer } from "./presenter.ts"

/** Runs a command line; prints failures on stderr, and returns the exit code. */
export const runCommandLine = (argv: ReadonlyArray<string>, { colors }: { readonly colors: boolean }) =>
  Command.runWith(parley, { version })(argv).pipe(
    Effect.provide(presenterLayer(colors)),
    Effect.exit,
    Effect.flatMap((exit) => {
      if (Exit.isSuccess(exit)) return Effect.succeed(0)
      return Surroundings.use((surroundings) => {
        const ending = endingOfCause(exit.cause, surroundings.readEnvironment().environment)
        const said = ending.message === undefined ? Effect.void : Console.error(ending.message)
        return Effect.as(said, ending.exit)
      })
    })
  )
