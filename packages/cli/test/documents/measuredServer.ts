import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { eventually } from "../processes/ParleyProcess.ts"
import type { RunningServer } from "../processes/RunningServer.ts"

/** The environment of a server that measures itself. */
export const MEASURED = { NODE_OPTIONS: `--import=${fileURLToPath(new URL("measureTurns.mjs", import.meta.url))}` }

/** What a server measured since it was last told to begin. */
export interface Measured {
  /** How often it was told. */
  readonly number: number
  /** The longest time that its thread computed without a turn for anything else, of processor time. */
  readonly turnMs: number
  /** How late its timers were at most, and usually at most: what else the machine does counts. */
  readonly delayMs: number
  readonly delayP99Ms: number
  /** The most memory it had, in bytes. */
  readonly resident: number
}

/** The newest figures of the server in this folder. */
export const measured = (folder: string): Measured | undefined => {
  const file = join(folder, "turns.json")
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Measured) : undefined
}

/** Has a server collect its garbage and measure anew; gives what it has then. */
export const measureFrom = async (server: RunningServer, folder: string): Promise<Measured> => {
  const before = measured(folder)?.number ?? 0
  server.process.child.kill("SIGUSR2")
  return eventually("measuring to begin", () => {
    const now = measured(folder)
    return now !== undefined && now.number > before ? now : undefined
  })
}
