import type { Effect } from "effect"
import { dataFolderProblem } from "../dataFolder/dataFolderProblem.ts"
import { Surroundings } from "../Surroundings.ts"
import type { ConfigInvalid, ParleyConfig } from "./readConfig.ts"
import { readConfig, readSettings, type Settings } from "./readConfig.ts"

/** The problems of the data folder, if the configuration uses it. */
export const folderProblems = ({ database, dataFolder }: ParleyConfig): ReadonlyArray<string> => {
  const problem = database._tag === "Embedded" ? dataFolderProblem(dataFolder) : undefined
  return problem === undefined
    ? []
    : [`PARLEY_DATA_DIR: ${problem}. Set it to a folder this user may write, or set DATABASE_URL`]
}

/** Reads the settings and all of their problems from the environment and from a `.env` file in the working folder. */
export const loadSettings: Effect.Effect<Settings> = Surroundings.useSync((surroundings) => {
  const { environment, problems } = surroundings.readEnvironment()
  const settings = readSettings(environment, surroundings.folder)
  return { ...settings, problems: [...problems, ...settings.problems] }
})

/**
 * Loads the configuration of a command line from the environment; variables that are not set are taken from a `.env`
 * file in the working folder. Fails with all problems together, including those of the data folder. `refusals` returns
 * further reasons to refuse the configuration.
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
