import { enableCompileCache, flushCompileCache } from "node:module"

// Halves the time to start: what was compiled once, types stripped, is kept for the next start.
enableCompileCache()
const { runParley } = await import("./runParley.ts")
const exit = runParley(process.argv.slice(2))
setTimeout(flushCompileCache, 5_000).unref()
process.exitCode = await exit
