/**
 * Creates the image of an empty, migrated embedded database in `packages/adapters-db/prepared`, if there is none for
 * the current engine and migrations. A new data folder begins with this image, which is published with the package. It
 * is an optimisation: without a matching image, a new database is created and migrated, which takes some seconds
 * longer.
 *
 * Usage: node tooling/prepareDatabase.mjs [--if-possible] (at every install, before tests, and before packing). With
 * `--if-possible` a failure prints a sentence on stderr, and the exit code is 0.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const SOURCE = new URL("../packages/adapters-db/src/image/makeShippedImage.ts", import.meta.url)

const make = async () => {
  const { makeShippedImage } = await import(SOURCE.href)
  const { file, made } = await makeShippedImage()
  if (made) console.log(`Prepared an empty database: ${file}`)
}

/** The condition under which this repository's packages resolve to their sources. */
const CONDITION = "--conditions=@parley/source"

if (process.execArgv.includes(CONDITION)) await make()
else {
  const quiet = process.argv.includes("--if-possible")
  const { status } = spawnSync(
    process.execPath,
    [CONDITION, "--disable-warning=ExperimentalWarning", fileURLToPath(import.meta.url)],
    { stdio: ["ignore", "inherit", quiet ? "ignore" : "inherit"] }
  )
  if (status !== 0 && quiet) {
    console.error("No empty database was prepared: each new data folder will take a few seconds longer.")
  } else process.exitCode = status ?? 1
}
