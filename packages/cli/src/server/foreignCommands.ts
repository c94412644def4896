import { type Context, Effect } from "effect"
import { CommandRunner } from "../commands/CommandContext.ts"
import { makeProgressLine } from "../commands/ProgressOutput.ts"
import type { CommandParts } from "../compose.ts"
import type { ParleyConfig } from "../config/ParleyConfig.ts"
import type { RunCommand } from "../dataFolder/CommandServer.ts"
import { exitCodes } from "../exitCodes.ts"
import { consoleTo } from "../Surroundings.ts"

/** Runs the commands that other processes send, with the parts of this server and their output going back. */
export const foreignCommands = (
  config: ParleyConfig,
  parts: Context.Context<CommandParts>
): Effect.Effect<RunCommand, never, CommandRunner> =>
  CommandRunner.useSync((runner): RunCommand => async ({ argv, onTerminal = false }, answer, signal) => {
    const console = consoleTo({ stdout: (stdout) => answer({ stdout }), stderr: (stderr) => answer({ stderr }) })
    const progress = onTerminal ? makeProgressLine((stderr) => answer({ stderr })) : undefined
    const running = runner.run({ argv, config, parts, console, progress })
    return await Effect.runPromise(running, { signal }).catch(() => exitCodes.failed)
  })
