import { enableCompileCache } from "node:module"
import { readEnvironmentFile } from "./config/environmentFile.ts"
import { firstLine, servesEmbedded } from "./firstLine.ts"

const argv = process.argv.slice(2)
// Whether it can be read is judged with the configuration.
readEnvironmentFile()
const said = firstLine(argv, process.env, new Date())
if (said !== undefined) process.stderr.write(`${said}\n`)
// More than halves the time to start: what was compiled once, types stripped, is kept for the next start.
enableCompileCache()
// A thread of its own loads the embedded database while this one loads the rest.
if (servesEmbedded(argv, process.env)) (await import("@parley/adapters-db/engine")).startEngine()
const { runParley } = await import("./runParley.ts")
process.exitCode = await runParley(argv)
