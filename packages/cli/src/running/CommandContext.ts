import type { DatabaseError } from "@parley/adapters-db"
import { type Console, Context, type Effect } from "effect"
import type { Parts } from "../compose.ts"
import type { ConfigInvalid, ParleyConfig } from "../config/readConfig.ts"
import type { Settings } from "../config/readConfig.ts"
import type { DataFolderInUse, DataFolderUnusable } from "../dataFolder/dataFolderErrors.ts"
import type { ProgressLine } from "./ProgressOutput.ts"
import type { CommandLost, Exited, Interrupted, NoDatabaseYet } from "./commandErrors.ts"

export interface RunOptions {
  /** Creates the embedded database if there is none. */
  readonly createDatabase?: boolean
  /** Runs only in this process: fails if a server owns the embedded database. */
  readonly alone?: boolean
  /** Connects past a connection pooler, for changes of the schema. */
  readonly direct?: boolean
  /** Opens one of several databases alone, by its name. */
  readonly cell?: string | undefined
}

/** The reasons why a command could not run. */
export type RunFailed =
  | ConfigInvalid
  | CommandLost
  | DataFolderInUse
  | DataFolderUnusable
  | DatabaseError
  | Exited
  | Interrupted
  | NoDatabaseYet

/** Runs commands: with the services of this process, or in the server that owns the embedded database. */
export class CommandContext extends Context.Service<
  CommandContext,
  {
    /** The configuration read from the environment, with all its problems. */
    readonly settings: Effect.Effect<Settings>
    /**
     * Runs a command in the server that owns the data folder and returns its output on stdout; undefined if no server
     * owns it, and in that server itself.
     */
    askServer(argv: ReadonlyArray<string>): Effect.Effect<string | undefined, CommandLost>
    /**
     * Runs `work` with Parley's services. If a server owns the data folder, it sends the whole command line there
     * instead and prints the output here; then it fails with `Exited`, which carries the exit code.
     */
    run<E>(work: Effect.Effect<void, E, Parts>, options?: RunOptions): Effect.Effect<void, E | RunFailed>
  }
>()("@parley/cli/commands/CommandContext") {}

/** The signal that stops a command. */
export class StopSignal extends Context.Service<
  StopSignal,
  {
    /** The first SIGINT or SIGTERM of this process. */
    readonly wait: Effect.Effect<"SIGINT" | "SIGTERM">
    /** Ends the process at once, if it does not end by itself in time. */
    end(exitCode: number): void
  }
>()("@parley/cli/commands/StopSignal") {}

/** A command line received from another process. */
export interface ForeignCommand {
  readonly argv: ReadonlyArray<string>
  readonly config: ParleyConfig
  readonly parts: Context.Context<Parts>
  /** Receives its output. */
  readonly console: Console.Console
  /** Shows its progress; undefined without a terminal. */
  readonly progress: ProgressLine | undefined
}

/** Runs the commands of other processes in a server; returns their exit codes. */
export class CommandRunner extends Context.Service<
  CommandRunner,
  { run(command: ForeignCommand): Effect.Effect<number> }
>()("@parley/cli/commands/CommandRunner") {}
