import { enableCompileCache } from "node:module"
import { readEnvironmentFile } from "./config/environmentFile.ts"
import { firstLine, servesEmbedded } from "./firstLine.ts"

const argv = process.argv.slice(2)
// Its problems are reported with the configuration.
readEnvironmentFile()
const said = firstLine(argv, process.env, new Date())
if (said !== undefined) process.stderr.write(`${said}\n`)
// More than halves the time to start: compiled code, without types, is kept for the next start.
enableCompileCache()
// A separate thread loads the embedded database while this one loads the rest.
if (servesEmbedded(argv, process.env)) (await import("@parley/adapters-db/engine")).startEngine()
const { runParley } = await import("./runParley.ts")
process.exitCode = await runParley(argv)
