import { enableCompileCache } from "node:module"
import { firstLine, loadEnvironmentFile } from "./firstLine.ts"

const argv = process.argv.slice(2)
loadEnvironmentFile()
const said = firstLine(argv, process.env, new Date())
if (said !== undefined) process.stderr.write(`${said}\n`)
// More than halves the time to start: what was compiled once, types stripped, is kept for the next start.
enableCompileCache()
const { runParley } = await import("./runParley.ts")
process.exitCode = await runParley(argv)
