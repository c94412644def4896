import type { FolderInUse } from "@parley/adapters-db"
import { type Console, Context, type Effect } from "effect"
import type { CommandParts } from "../compose.ts"
import type { ConfigInvalid, ParleyConfig } from "../config/ParleyConfig.ts"
import type { Settings } from "../config/readConfig.ts"
import type { DataFolderInUse, DataFolderUnusable } from "../dataFolder/dataFolderErrors.ts"
import type { CommandLost, Exited, Interrupted, NoDatabaseYet } from "./commandErrors.ts"

export interface RunOptions {
  /** Makes the embedded database where there is none. */
  readonly createDatabase?: boolean
  /** Goes past a connection pooler, for what changes the schema. */
  readonly direct?: boolean
}

/** Why a command did not get to work. */
export type RunFailed =
  | ConfigInvalid
  | CommandLost
  | DataFolderInUse
  | DataFolderUnusable
  | Exited
  | FolderInUse
  | Interrupted
  | NoDatabaseYet

/** Where a command works: in this process, or in the server that owns the embedded database. */
export class Workplace extends Context.Service<
  Workplace,
  {
    /** What the environment says, with all that is wrong with it. */
    readonly settings: Effect.Effect<Settings>
    /**
     * Has the server that owns the data folder run a command, and gives what it printed on stdout; undefined where no
     * server does, and in that server itself.
     */
    askServer(argv: ReadonlyArray<string>): Effect.Effect<string | undefined, CommandLost>
    /**
     * Runs `work` with Parley's parts. Where a server owns the data folder, the whole command line goes there instead,
     * and what it prints comes back; then this fails with `Exited` unless all went well.
     */
    run<E>(work: Effect.Effect<void, E, CommandParts>, options?: RunOptions): Effect.Effect<void, E | RunFailed>
  }
>()("@parley/cli/commands/Workplace") {}

/** The first SIGINT or SIGTERM this process gets. */
export class StopSignal extends Context.Service<StopSignal, { readonly wait: Effect.Effect<"SIGINT" | "SIGTERM"> }>()(
  "@parley/cli/commands/StopSignal"
) {}

/** A command line that came from another process. */
export interface ForeignCommand {
  readonly argv: ReadonlyArray<string>
  readonly config: ParleyConfig
  readonly parts: Context.Context<CommandParts>
  /** Where it prints. */
  readonly console: Console.Console
}

/** How a server runs the commands of other processes; gives their exit codes. */
export class CommandRunner extends Context.Service<
  CommandRunner,
  { run(command: ForeignCommand): Effect.Effect<number> }
>()("@parley/cli/commands/CommandRunner") {}
