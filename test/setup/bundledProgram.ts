import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const tool = fileURLToPath(new URL("../../tooling/bundleProgram.mjs", import.meta.url))

/** Bundles the program if its sources have changed: the tests' processes run the bundle, as users' processes do. */
export const setup = (): void => {
  const { NODE_ENV: _, ...env } = process.env
  const { status } = spawnSync(process.execPath, [tool], { stdio: "inherit", env })
  if (status !== 0) throw new Error("The program that tests start could not be bundled.")
}
