import { existsSync } from "node:fs"
import { Effect, Layer, type Scope } from "effect"
import { type ParleyConfig } from "../config/readConfig.ts"
import { loadConfig, loadSettings } from "../config/loadConfig.ts"
import { type CommandOutput, connectToOwner, sendCommand } from "../dataFolder/commandClient.ts"
import { claimDataFolder } from "../dataFolder/claimDataFolder.ts"
import type { DataFolderInUse, DataFolderUnusable } from "../dataFolder/dataFolderErrors.ts"
import { onlyDatabase } from "../databases/chooseDatabase.ts"
import { databaseFolder } from "../dataFolder/databaseFolder.ts"
import { loggingLayer } from "../server/logging.ts"
import { Surroundings } from "../Surroundings.ts"
import { ProgressOutput } from "./ProgressOutput.ts"
import { CommandLost, Exited, Interrupted, NoDatabaseYet } from "./commandErrors.ts"
import { type RunOptions, StopSignal, CommandContext } from "./CommandContext.ts"

/** The command context of a command line, `argv`, that runs in this process. */
export const localCommandContextLayer = (argv: ReadonlyArray<string>): Layer.Layer<CommandContext, never, StopSignal> =>
  Layer.effect(
    CommandContext,
    Effect.map(StopSignal, (stop) =>
      CommandContext.of({
        settings: loadSettings,
        askServer: (command) =>
          Effect.gen(function* () {
            const { config } = yield* loadSettings
            let text = ""
            const { stderr } = yield* Surroundings
            const captured = { stdout: (part: string) => void (text += part), stderr }
            return (yield* runsAtOwner(config.dataFolder, command, captured)) === undefined ? undefined : text
          }),
        run: (work, options = {}) =>
          Effect.gen(function* () {
            const whole = yield* loadConfig()
            const config = options.cell === undefined ? whole : onlyDatabase(whole, options.cell)
            if (config.database._tag === "Embedded") yield* enterDataFolder(config, argv, options)
            const { partsLayer } = yield* Effect.promise(() => import("../compose.ts"))
            // stdout is for the command's data.
            const parts = Layer.provideMerge(
              partsLayer(config, { isCommand: true, direct: options.direct === true }),
              loggingLayer(config)
            )
            yield* Effect.provide(work, parts)
          }).pipe(
            Effect.scoped,
            Effect.raceFirst(Effect.flatMap(stop.wait, (signal) => Effect.fail(new Interrupted({ signal }))))
          )
      })
    )
  )

/** Claims the data folder for this process; if a server owns it, fails with the exit code of the command there. */
const enterDataFolder = (
  config: ParleyConfig,
  argv: ReadonlyArray<string>,
  { alone = false, createDatabase = false }: RunOptions
): Effect.Effect<void, CommandLost | DataFolderInUse | DataFolderUnusable | Exited | NoDatabaseYet, Scope.Scope> =>
  Effect.gen(function* () {
    const { dataFolder } = config
    const output = yield* Surroundings
    const exit = alone ? undefined : yield* runsAtOwner(dataFolder, argv, output)
    if (exit !== undefined) return yield* new Exited({ exit })
    if (!createDatabase && !existsSync(databaseFolder(dataFolder))) {
      return yield* new NoDatabaseYet({ folder: dataFolder })
    }
    yield* claimDataFolder(dataFolder, false).pipe(
      // A server that started in between runs the command.
      Effect.catchTag("DataFolderInUse", (inUse) =>
        Effect.flatMap(alone ? Effect.undefined : runsAtOwner(dataFolder, argv, output), (late) =>
          Effect.fail(late === undefined ? inUse : new Exited({ exit: late }))
        )
      )
    )
  })

/** Runs the command in the server that owns the folder; returns its exit code, or undefined if no server owns it. */
const runsAtOwner = Effect.fnUntraced(function* (folder: string, argv: ReadonlyArray<string>, heard: CommandOutput) {
  const { folder: here } = yield* Surroundings
  const onTerminal = (yield* ProgressOutput) !== undefined
  const outcome = yield* Effect.promise(async (signal) => {
    const connection = await connectToOwner(folder)
    if (connection?.greeting?.takesCommands === true)
      return await sendCommand(connection, { argv, onTerminal, folder: here }, heard, signal)
    connection?.socket.destroy()
    return undefined
  })
  if (outcome === undefined || outcome._tag === "NotBegun") return undefined
  if (outcome._tag === "Lost") return yield* new CommandLost()
  return outcome.exit
})
