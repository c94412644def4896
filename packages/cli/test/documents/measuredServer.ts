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

/**
 * The delay of a timer with a beat of five milliseconds: the maximum for these shares of the beats, in milliseconds.
 */
export interface Lateness {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly max: number
}

/**
 * A late beat, and the state of its thread: computing, ready while others ran, waiting for a delayed helper, otherwise
 * blocked.
 */
export interface LateBeat {
  readonly secondsIn: number
  readonly ownMs: number
  readonly lateMs: number
  readonly computedMs: number
  readonly machineMs: number
  readonly helpersMs: number
  readonly pagesRead: number
}

/** A server's measurements since the last beginning. */
export interface Measured {
  /** The number of beginnings. */
  readonly number: number
  /** The longest computation of its thread without a pause, in processor time. */
  readonly turnMs: number
  /** By the clock, including delays of the machine. */
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

/** Makes a server collect its garbage and begin its measurements anew; returns the values at that time. */
export const measureFrom = async (server: RunningServer, folder: string): Promise<Measured> => {
  const before = measured(folder)?.number ?? 0
  server.process.child.kill("SIGUSR2")
  return eventually("measuring to begin", () => {
    const now = measured(folder)
    return now !== undefined && now.number > before ? now : undefined
  })
}

/** A process that only measures, as a baseline of the machine's delays. `end` returns the figures. */
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
