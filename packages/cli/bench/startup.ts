/**
 * Measures the time from spawn to listening on the embedded default, median of five: cold (new data folder, no
 * compiled code) and on the second start. `npm run bench:startup`; exits with 1 if a median exceeds its limit.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const PARLEY = fileURLToPath(new URL("../bin/parley.js", import.meta.url))
/** The options of `npm start`. */
const OPTIONS = ["--conditions=@parley/source", "--disable-warning=ExperimentalWarning"]
const ROUNDS = 5
const LIMITS_MS = { cold: 3_000, second: 700 }

/** Starts a server, waits until it listens, stops it in order; returns the milliseconds from spawn to listening. */
const start = (folder: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const before = performance.now()
    const server = spawn(process.execPath, [...OPTIONS, PARLEY, "serve"], {
      cwd: folder,
      env: { PATH: process.env["PATH"], PORT: "0", LOG_LEVEL: "warn", NODE_COMPILE_CACHE: join(folder, "compiled") },
      stdio: ["ignore", "pipe", "inherit"]
    })
    let listening = 0
    server.stdout.once("data", () => {
      listening = performance.now() - before
      server.kill("SIGTERM")
    })
    server.once("error", reject)
    server.once("exit", (code) =>
      code === 0 ? resolve(listening) : reject(new Error(`The server ended with ${code}.`))
    )
  })

const median = (values: ReadonlyArray<number>): number =>
  Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN)

const cold: Array<number> = []
const second: Array<number> = []
for (let round = 0; round < ROUNDS; round += 1) {
  const folder = mkdtempSync(join(tmpdir(), "parley-startup-"))
  try {
    cold.push(await start(folder))
    second.push(await start(folder))
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

for (const [name, values] of Object.entries({ cold, second })) {
  const limit = LIMITS_MS[name as keyof typeof LIMITS_MS]
  const all = values.map((value) => Math.round(value)).join(", ")
  process.stdout.write(`${name.padEnd(7)} median ${median(values)} ms (limit ${limit}); all: ${all}\n`)
  if (median(values) > limit) process.exitCode = 1
}
