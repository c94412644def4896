import { enableCompileCache } from "node:module"
import { readEnvironmentFile } from "./config/environmentFile.ts"
import { firstLine, servesEmbedded } from "./firstLine.ts"

const argv = process.argv.slice(2)
// The problems of the file are reported later, together with the configuration's.
readEnvironmentFile()
const said = firstLine(argv, process.env, new Date())
if (said !== undefined) process.stderr.write(`${said}\n`)
// Stores the compiled code, without types, for the next start, which takes less than half the time then.
enableCompileCache()
// The embedded database is loaded in a separate thread while this thread loads the rest.
if (servesEmbedded(argv, process.env)) (await import("@parley/adapters-db/engine")).startEngine()
const { runParley } = await import("./runParley.ts")
process.exitCode = await runParley(argv)
