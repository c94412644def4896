import { type Context, Effect } from "effect"
import { CommandRunner } from "../running/CommandContext.ts"
import { makeProgressLine } from "../running/ProgressOutput.ts"
import type { Parts } from "../compose.ts"
import type { ParleyConfig } from "../config/readConfig.ts"
import type { RunCommand } from "../dataFolder/CommandServer.ts"
import { exitCodes } from "../exitCodes.ts"
import { consoleTo, Surroundings } from "../Surroundings.ts"

/**
 * Runs the commands that other processes send, with the services of this server; the output is sent back to the sender.
 */
export const foreignCommands = (
  config: ParleyConfig,
  parts: Context.Context<Parts>
): Effect.Effect<RunCommand, never, CommandRunner> =>
  CommandRunner.useSync((runner): RunCommand => async ({ argv, folder, onTerminal = false }, answer, signal) => {
    const console = consoleTo({ stdout: (stdout) => answer({ stdout }), stderr: (stderr) => answer({ stderr }) })
    const progress = onTerminal ? makeProgressLine((stderr) => answer({ stderr })) : undefined
    const running = Effect.flatMap(Surroundings, (own) =>
      Effect.provideService(runner.run({ argv, config, parts, console, progress }), Surroundings, {
        ...own,
        // The sender's folder may be used: a process that can open the socket has the rights of the data folder's owner
        // anyway.
        folder: typeof folder === "string" ? folder : own.folder
      })
    )
    return await Effect.runPromise(running, { signal }).catch(() => exitCodes.failed)
  })
