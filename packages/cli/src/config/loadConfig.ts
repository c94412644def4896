import type { Effect } from "effect"
import { dataFolderProblem } from "../dataFolder/dataFolderProblem.ts"
import { Surroundings } from "../Surroundings.ts"
import type { ConfigInvalid, ParleyConfig } from "./readConfig.ts"
import { readConfig, readSettings, type Settings } from "./readConfig.ts"

/** The problems of the data folder, if it is needed. */
export const folderProblems = ({ database, dataFolder }: ParleyConfig): ReadonlyArray<string> => {
  const problem = database._tag === "Embedded" ? dataFolderProblem(dataFolder) : undefined
  return problem === undefined
    ? []
    : [`PARLEY_DATA_DIR: ${problem}. Set it to a folder this user may write, or set DATABASE_URL`]
}

/** Reads the settings from the environment and from a `.env` file in the working folder, with every problem. */
export const loadSettings: Effect.Effect<Settings> = Surroundings.useSync((surroundings) => {
  const { environment, problems } = surroundings.readEnvironment()
  const settings = readSettings(environment, surroundings.folder)
  return { ...settings, problems: [...problems, ...settings.problems] }
})

/**
 * The configuration of a command line: its environment, and below it the variables of a `.env` file in the working
 * folder. Fails with all of its problems, including those of the data folder. `refusals` returns further reasons
 * against it.
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
