import { type Console, Context, type Effect } from "effect"
import type { CommandParts } from "../compose.ts"
import type { ConfigInvalid, ParleyConfig } from "../config/ParleyConfig.ts"
import type { Settings } from "../config/readConfig.ts"
import type { DataFolderInUse, DataFolderUnusable } from "../dataFolder/dataFolderErrors.ts"
import type { ProgressLine } from "./ProgressOutput.ts"
import type { CommandLost, Exited, Interrupted, NoDatabaseYet } from "./commandErrors.ts"

export interface RunOptions {
  /** Makes the embedded database where there is none. */
  readonly createDatabase?: boolean
  /** Goes past a connection pooler, for what changes the schema. */
  readonly direct?: boolean
}

/** Why a command could not run. */
export type RunFailed =
  | ConfigInvalid
  | CommandLost
  | DataFolderInUse
  | DataFolderUnusable
  | Exited
  | Interrupted
  | NoDatabaseYet

/** What a command runs with: the services of this process, or the server that owns the embedded database. */
export class CommandContext extends Context.Service<
  CommandContext,
  {
    /** The configuration read from the environment, with all its problems. */
    readonly settings: Effect.Effect<Settings>
    /**
     * Runs a command in the server that owns the data folder and gives what it printed on stdout; undefined where no
     * server owns it, and in that server itself.
     */
    askServer(argv: ReadonlyArray<string>): Effect.Effect<string | undefined, CommandLost>
    /**
     * Runs `work` with Parley's services. Where a server owns the data folder, the whole command line is sent there
     * instead and its output is printed here; then this fails with `Exited`, which carries the exit code.
     */
    run<E>(work: Effect.Effect<void, E, CommandParts>, options?: RunOptions): Effect.Effect<void, E | RunFailed>
  }
>()("@parley/cli/commands/CommandContext") {}

/** What asks a command to end. */
export class StopSignal extends Context.Service<
  StopSignal,
  {
    /** The first SIGINT or SIGTERM of this process. */
    readonly wait: Effect.Effect<"SIGINT" | "SIGTERM">
    /** Ends the process at once, where it does not end by itself in time. */
    end(exitCode: number): void
  }
>()("@parley/cli/commands/StopSignal") {}

/** A command line received from another process. */
export interface ForeignCommand {
  readonly argv: ReadonlyArray<string>
  readonly config: ParleyConfig
  readonly parts: Context.Context<CommandParts>
  /** Receives what it prints. */
  readonly console: Console.Console
  /** Where its progress is shown; nowhere where nobody looks at it. */
  readonly progress: ProgressLine | undefined
}

/** How a server runs the commands of other processes; gives their exit codes. */
export class CommandRunner extends Context.Service<
  CommandRunner,
  { run(command: ForeignCommand): Effect.Effect<number> }
>()("@parley/cli/commands/CommandRunner") {}
