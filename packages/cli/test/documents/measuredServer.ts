import { existsSync, readFileSync } from "node:fs"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { eventually, temporaryFolder } from "../processes/ParleyProcess.ts"
import type { RunningServer } from "../processes/RunningServer.ts"

const INSTRUMENT = fileURLToPath(new URL("measureTurns.mjs", import.meta.url))

/** The environment of a server that measures itself. */
export const MEASURED = { NODE_OPTIONS: `--import=${INSTRUMENT}` }

/** How late a timer was that beats every five milliseconds: at most for these shares of the beats, in milliseconds. */
export interface Lateness {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/** A beat that was late, and what its thread did meanwhile: computed, was ready while others ran, stood still for a helper that was; else it was blocked. */
export interface LateBeat {
  readonly secondsIn: number
  readonly ownMs: number
  readonly lateMs: number
  readonly computedMs: number
  readonly machineMs: number
  readonly helpersMs: number
  readonly pagesRead: number
}

/** What a server measured since it was last told to begin. */
export interface Measured {
  /** How often it was told. */
  readonly number: number
  /** The longest time that its thread computed without a turn for anything else, of processor time. */
  readonly turnMs: number
  /** By the clock: what else the machine does counts. */
  readonly late: Lateness
  /** By the clock, without the time that the thread, or one that collected its garbage, was ready to run and the machine ran others, as the kernel counts it. */
  readonly own: Lateness
  /** The worst of them, the worst first. */
  readonly worst: ReadonlyArray<LateBeat>
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

/** A process that does nothing but measure: what the machine does to anybody meanwhile. `end` gives the figures. */
export const measureNothing = async (): Promise<{ readonly end: () => Promise<Measured> } & AsyncDisposable> => {
  const folder = temporaryFolder()
  const idle = spawn(process.execPath, [`--import=${INSTRUMENT}`, "--eval", "setInterval(() => {}, 60_000)"], {
    cwd: folder.path,
    stdio: "ignore"
  })
  const gone = once(idle, "exit")
  const figures = () => eventually("the idle process to measure", () => measured(folder.path))
  await figures()
  return {
    end: figures,
    [Symbol.asyncDispose]: async () => {
      idle.kill("SIGKILL")
      await gone
      folder[Symbol.dispose]()
    }
  }
}
