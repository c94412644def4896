import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Far more than a server takes to listen on an empty data folder, for machines that are busy, in milliseconds. */
const START_MS = 90_000

/** The bundled program, as users run it; with these options it need not start itself again. */
const options = ["--conditions=@parley/source", "--disable-warning=ExperimentalWarning"]
const program = fileURLToPath(new URL("../../../cli/bin/parley.js", import.meta.url))

export interface RunningServer {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts the real server on a free port and an empty data folder, with nothing set up: embedded database, offline
 * model, development sign-in. Takes a catalog to lay over the default one, and settings: with a `PARLEY_DATA_DIR`, that
 * folder is used, and kept.
 */
export const startServer = async (
  catalog: unknown = {},
  settings: Readonly<Record<string, string>> = {}
): Promise<RunningServer> => {
  const folder = mkdtempSync(join(tmpdir(), "parley-dashboard-server-"))
  const configFile = join(folder, "parley.json")
  writeFileSync(configFile, JSON.stringify(catalog))
  const { PATH = "", HOME = folder } = process.env
  const server = spawn(process.execPath, [...options, program, "serve"], {
    cwd: folder,
    env: { PATH, HOME, PORT: "0", PARLEY_DATA_DIR: join(folder, "data"), PARLEY_CONFIG: configFile, ...settings },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const exited = new Promise<void>((resolve) => server.once("exit", () => resolve()))
  const unwatch = withThisProcess(() => {
    server.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const stop = async () => {
    server.kill("SIGTERM")
    await exited
    unwatch()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    return { url: await listening(server), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Runs `end` when this process ends, or is stopped as workers of the tests are; returns a function that cancels this.
 */
const withThisProcess = (end: () => void): (() => void) => {
  const onSignal = () => process.exit()
  process.once("exit", end)
  process.once("SIGTERM", onSignal)
  return () => {
    process.off("exit", end)
    process.off("SIGTERM", onSignal)
  }
}

/** The address that the server prints once it listens. */
const listening = (server: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = ""
    const give = (why: string) => reject(new Error(`The server ${why}. It said:\n${output}`))
    const timer = setTimeout(() => give(`does not listen after ${START_MS} ms`), START_MS)
    server.once("exit", (code) => give(`ended with exit code ${code}`))
    server.once("exit", () => clearTimeout(timer))
    for (const stream of [server.stdout, server.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        output += chunk.toString()
        const url = /listens on (http:\/\/\S+)/.exec(output)?.[1]
        if (url === undefined) return
        clearTimeout(timer)
        resolve(url)
      })
    }
  })
