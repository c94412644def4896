import { mkdir, readFile, rename, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { PgliteThread } from "../src/database/embedded/PgliteThread.ts"

/** Goes with the installed packages, so that another version of the engine never meets it. */
const folder = fileURLToPath(new URL("../../../node_modules/.cache/parley/", import.meta.url))
const file = `${folder}pglite.tar`

const make = async (): Promise<Uint8Array<ArrayBuffer>> => {
  const thread = new PgliteThread({})
  const dump = (await thread.ask({ kind: "dump" })) as Uint8Array<ArrayBuffer>
  await thread.close()
  await mkdir(folder, { recursive: true })
  const own = `${file}.${process.pid}`
  await writeFile(own, dump)
  await rename(own, file)
  return dump
}

/** A dump of a PGlite just made: making one anew takes several times longer. */
export const preparedDump = (): Promise<Uint8Array<ArrayBuffer>> =>
  readFile(file).then((bytes) => new Uint8Array(bytes), make)

/** A PGlite just made, loaded from a dump of one. */
export const preparedPglite = async (): Promise<PgliteThread> => new PgliteThread({ prepared: await preparedDump() })
