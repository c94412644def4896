import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const tool = fileURLToPath(new URL("../../tooling/prepareDatabase.mjs", import.meta.url))

/** Makes the image that new data folders begin as where it is absent or of other migrations: once, not in every test. */
export const setup = (): void => {
  const { status } = spawnSync(process.execPath, [tool], { stdio: "inherit" })
  if (status !== 0) throw new Error("The empty database that tests begin with could not be prepared.")
}
