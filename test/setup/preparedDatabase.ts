import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const tool = fileURLToPath(new URL("../../tooling/prepareDatabase.mjs", import.meta.url))

/** Creates the initial image of data folders if it is missing or outdated: once per run, not in every test. */
export const setup = (): void => {
  const { status } = spawnSync(process.execPath, [tool], { stdio: "inherit" })
  if (status !== 0) throw new Error("The empty database that tests begin with could not be prepared.")
}
