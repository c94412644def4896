import { existsSync } from "node:fs"

/** Adds to the environment what a `.env` file in the working folder says; gives what is wrong with it. */
export const readEnvironmentFile = (): ReadonlyArray<string> => {
  try {
    if (existsSync(".env")) process.loadEnvFile(".env")
    return []
  } catch {
    return [".env: the file cannot be read"]
  }
}
