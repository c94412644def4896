import type { Effect } from "effect"
import { dataFolderProblem } from "../dataFolder/dataFolderProblem.ts"
import { Surroundings } from "../Surroundings.ts"
import type { ConfigInvalid, ParleyConfig } from "./ParleyConfig.ts"
import { readConfig, readSettings, type Settings } from "./readConfig.ts"

/** What keeps the data folder from being used, where it is needed. */
export const folderProblems = ({ database, dataFolder }: ParleyConfig): ReadonlyArray<string> => {
  const problem = database._tag === "Embedded" ? dataFolderProblem(dataFolder) : undefined
  return problem === undefined
    ? []
    : [`PARLEY_DATA_DIR: ${problem}. Set it to a folder this user may write, or set DATABASE_URL`]
}

/** What the environment says, a `.env` file in the working folder included, and every problem of it. */
export const loadSettings: Effect.Effect<Settings> = Surroundings.useSync((surroundings) => {
  const { environment, problems } = surroundings.readEnvironment()
  const settings = readSettings(environment, surroundings.folder)
  return { ...settings, problems: [...problems, ...settings.problems] }
})

/**
 * The configuration of a command line: its environment, and under it what a `.env` file in the working folder adds. Fails
 * with all that is wrong with it, the data folder included. `refusals` are further reasons why it would not do.
 */
export const loadConfig = (
  refusals: (config: ParleyConfig) => ReadonlyArray<string> = () => []
): Effect.Effect<ParleyConfig, ConfigInvalid> =>
  Surroundings.use((surroundings) => {
    const { environment, problems } = surroundings.readEnvironment()
    return readConfig(environment, surroundings.folder, (config) => [
      ...problems,
      ...folderProblems(config),
      ...refusals(config)
    ])
  })
