import { existsSync } from "node:fs"
import { Effect } from "effect"
import { ConfigInvalid, type ParleyConfig } from "./ParleyConfig.ts"
import { readConfig } from "./readConfig.ts"

/**
 * The configuration of this process: its environment, and under it what a `.env` file in the working folder adds.
 * `refusals` are further reasons why a configuration would not do.
 */
export const loadConfig = (
  refusals?: (config: ParleyConfig) => ReadonlyArray<string>
): Effect.Effect<ParleyConfig, ConfigInvalid> =>
  Effect.suspend(() => {
    try {
      if (existsSync(".env")) process.loadEnvFile(".env")
    } catch {
      return Effect.fail(new ConfigInvalid({ problems: [".env: the file cannot be read"] }))
    }
    return readConfig(process.env, process.cwd(), refusals)
  })
