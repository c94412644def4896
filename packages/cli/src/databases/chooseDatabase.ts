import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import type { ParleyConfig } from "../config/readConfig.ts"
import { CommandContext } from "../running/CommandContext.ts"
import { UsageMistake } from "../running/commandErrors.ts"

/** `--cell`, for commands on one database. */
export const cellFlag = Flag.String("cell").pipe(
  Flag.withDescription("With PARLEY_CELLS: the name of the cell, or global for a global database that is no cell"),
  Flag.optional
)

const GLOBAL = "global"

/** The names of the databases; undefined if there is one without a name. */
const namesOf = ({ database }: ParleyConfig): ReadonlyArray<string> | undefined => {
  if (database._tag === "Embedded" || database.cells === undefined) return undefined
  const own = database.cells.some(({ isGlobal }) => isGlobal) ? [] : [GLOBAL]
  return [...own, ...database.cells.map(({ name }) => name)]
}

/** The configuration with one of its databases alone, as if there were no others. */
export const onlyDatabase = (config: ParleyConfig, name: string): ParleyConfig => {
  const { database } = config
  if (database._tag === "Embedded") return config
  const { directUrl, replicaUrl, url } = database.cells?.find((cell) => cell.name === name) ?? database
  return { ...config, database: { ...database, url, directUrl, replicaUrl, cells: undefined } }
}

/**
 * Checks `--cell`: a command on one database needs it if there are several, and cannot have it otherwise. `why` is a
 * sentence about the command. Returns the name; undefined if there is one database.
 */
export const chooseDatabase = Effect.fnUntraced(function* (cell: Option.Option<string>, why: string) {
  const { config } = yield* CommandContext.use(({ settings }) => settings)
  const names = namesOf(config)
  const name = Option.getOrUndefined(cell)
  if (names === undefined) {
    if (name === undefined) return undefined
    return yield* new UsageMistake({
      problem: "--cell: PARLEY_CELLS is not set, so there is one database. Leave it out."
    })
  }
  if (name !== undefined && names.includes(name)) return name
  const given =
    name === undefined ? "PARLEY_CELLS is set" : `--cell: there is no database ${JSON.stringify(name.slice(0, 60))}`
  return yield* new UsageMistake({ problem: `${given}. ${why} Choose it with --cell: ${names.join(", ")}.` })
})
