import { existsSync } from "node:fs"
import { Effect, Layer, type Scope } from "effect"
import { type ParleyConfig } from "../config/ParleyConfig.ts"
import { loadConfig, loadSettings } from "../config/loadConfig.ts"
import { type CommandOutput, connectToOwner, sendErrand } from "../dataFolder/askOwner.ts"
import { claimDataFolder } from "../dataFolder/claimDataFolder.ts"
import type { DataFolderInUse, DataFolderUnusable } from "../dataFolder/dataFolderErrors.ts"
import { databaseFolder } from "../dataFolder/databaseFolder.ts"
import { CommandLost, Exited, Interrupted, NoDatabaseYet } from "./commandErrors.ts"
import { type RunOptions, StopSignal, Workplace } from "./Workplace.ts"

const output = {
  stdout: (text: string) => void process.stdout.write(text),
  stderr: (text: string) => void process.stderr.write(text)
}

/** The workplace of a process started with `argv`. */
export const localWorkplaceLayer = (argv: ReadonlyArray<string>): Layer.Layer<Workplace, never, StopSignal> =>
  Layer.effect(
    Workplace,
    Effect.map(StopSignal, (stop) =>
      Workplace.of({
        settings: loadSettings,
        askServer: (errand) =>
          Effect.gen(function* () {
            const { config } = yield* loadSettings
            let text = ""
            const captured = { stdout: (part: string) => void (text += part), stderr: output.stderr }
            return (yield* runsAtOwner(config.dataFolder, errand, captured)) === undefined ? undefined : text
          }),
        run: (work, options = {}) =>
          Effect.gen(function* () {
            const config = yield* loadConfig()
            if (config.database._tag === "Embedded") yield* enterDataFolder(config, argv, options)
            const { commandPartsLayer } = yield* Effect.promise(() => import("../compose.ts"))
            yield* Effect.provide(work, commandPartsLayer(config, options.direct ?? false))
          }).pipe(
            Effect.scoped,
            Effect.raceFirst(Effect.flatMap(stop.wait, (signal) => Effect.fail(new Interrupted({ signal }))))
          )
      })
    )
  )

/** Succeeds once the folder is this process's own; where a server owns it, ends as the command ended there. */
const enterDataFolder = (
  config: ParleyConfig,
  argv: ReadonlyArray<string>,
  { createDatabase = false }: RunOptions
): Effect.Effect<void, CommandLost | DataFolderInUse | DataFolderUnusable | Exited | NoDatabaseYet, Scope.Scope> =>
  Effect.gen(function* () {
    const { dataFolder } = config
    const exit = yield* runsAtOwner(dataFolder, argv, output)
    if (exit !== undefined) return yield* new Exited({ exit })
    if (!createDatabase && !existsSync(databaseFolder(dataFolder))) {
      return yield* new NoDatabaseYet({ folder: dataFolder })
    }
    yield* claimDataFolder(dataFolder, false).pipe(
      // A server that started in between takes the command.
      Effect.catchTag("DataFolderInUse", (inUse) =>
        Effect.flatMap(runsAtOwner(dataFolder, argv, output), (late) =>
          Effect.fail(late === undefined ? inUse : new Exited({ exit: late }))
        )
      )
    )
  })

/** Has the server that owns the folder run the command; gives its exit code, undefined where there is none. */
const runsAtOwner = Effect.fnUntraced(function* (folder: string, argv: ReadonlyArray<string>, heard: CommandOutput) {
  const outcome = yield* Effect.promise(async (signal) => {
    const connection = await connectToOwner(folder)
    if (connection?.greeting?.takesCommands === true) return await sendErrand(connection, { argv }, heard, signal)
    connection?.socket.destroy()
    return undefined
  })
  if (outcome === undefined || outcome._tag === "NotBegun") return undefined
  if (outcome._tag === "Lost") return yield* new CommandLost()
  return outcome.exit
})
