import { Effect } from "effect"
import { dataFolderProblem } from "../dataFolder/dataFolderProblem.ts"
import { readEnvironmentFile } from "./environmentFile.ts"
import { type ConfigInvalid, type ParleyConfig } from "./ParleyConfig.ts"
import { readConfig, readSettings, type Settings } from "./readConfig.ts"

/** What keeps the data folder from being used, where it is needed. */
export const folderProblems = ({ database, dataFolder }: ParleyConfig): ReadonlyArray<string> => {
  const problem = database._tag === "Embedded" ? dataFolderProblem(dataFolder) : undefined
  return problem === undefined
    ? []
    : [`PARLEY_DATA_DIR: ${problem}. Set it to a folder this user may write, or set DATABASE_URL`]
}

/** What this process's environment says, a `.env` file in the working folder included, and every problem of it. */
export const loadSettings: Effect.Effect<Settings> = Effect.sync(() => {
  const problems = readEnvironmentFile()
  const settings = readSettings(process.env, process.cwd())
  return { ...settings, problems: [...problems, ...settings.problems] }
})

/**
 * The configuration of this process: its environment, and under it what a `.env` file in the working folder adds. Fails
 * with all that is wrong with it, the data folder included. `refusals` are further reasons why it would not do.
 */
export const loadConfig = (
  refusals: (config: ParleyConfig) => ReadonlyArray<string> = () => []
): Effect.Effect<ParleyConfig, ConfigInvalid> =>
  Effect.suspend(() => {
    const problems = readEnvironmentFile()
    return readConfig(process.env, process.cwd(), (config) => [
      ...problems,
      ...folderProblems(config),
      ...refusals(config)
    ])
  })
