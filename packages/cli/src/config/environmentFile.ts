import { existsSync } from "node:fs"

/** Adds the variables of a `.env` file in the working folder to the environment; returns its problems. */
export const readEnvironmentFile = (): ReadonlyArray<string> => {
  try {
    if (existsSync(".env")) process.loadEnvFile(".env")
    return []
  } catch {
    return [".env: the file cannot be read"]
  }
}
