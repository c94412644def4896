import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs"
import { createServer, type AddressInfo } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"

const PROGRAM = fileURLToPath(new URL("../../../../cli/bin/parley.js", import.meta.url))
const START_MS = 120_000
/** The longest time in which a process must stop: longer than it may take to finish its running work. */
const STOP_MS = 150_000

/** Returns a port of this machine on which no program listens. */
export const openPort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

export interface ProcessOptions {
  readonly name: string
  readonly args: ReadonlyArray<string>
  /** The working folder of the process, which also contains its log. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

const spawnParley = ({ args, environment, folder, name }: ProcessOptions): ChildProcess => {
  const log = openSync(join(folder, `${name}.log`), "a")
  try {
    return spawn(process.execPath, [PROGRAM, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], ...environment },
      stdio: ["ignore", log, log]
    })
  } finally {
    closeSync(log)
  }
}

/** Runs a command of `parley` to its end; returns its exit code. Its output is written to the log with its name. */
export const runCommand = async (options: ProcessOptions): Promise<number | null> => {
  const [exit] = (await once(spawnParley(options), "exit")) as [number | null]
  return exit
}

/** A long-running `parley` process with metrics. */
export class SoakedProcess implements AsyncDisposable {
  readonly name: string
  readonly #child: ChildProcess
  readonly #metricsUrl: string

  private constructor(name: string, child: ChildProcess, metricsPort: number) {
    this.name = name
    this.#child = child
    this.#metricsUrl = `http://127.0.0.1:${metricsPort}`
  }

  /** Starts a process, and waits until its metrics can be read. */
  static async start(options: ProcessOptions): Promise<SoakedProcess> {
    const metricsPort = await openPort()
    const environment = { ...options.environment, PARLEY_METRICS_PORT: String(metricsPort) }
    const started = new SoakedProcess(options.name, spawnParley({ ...options, environment }), metricsPort)
    const deadline = Date.now() + START_MS
    while ((await started.metrics()) === undefined) {
      if (started.#child.exitCode !== null || Date.now() > deadline) {
        await started[Symbol.asyncDispose]()
        throw new Error(`${options.name} did not start: ${join(options.folder, options.name)}.log`)
      }
      await sleep(200)
    }
    return started
  }

  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Returns the process's metrics in Prometheus' text format; undefined if it does not answer. */
  async metrics(): Promise<string | undefined> {
    try {
      const answer = await fetch(`${this.#metricsUrl}/metrics`, { signal: AbortSignal.timeout(5_000) })
      return answer.ok ? await answer.text() : undefined
    } catch {
      return undefined
    }
  }

  /**
   * Returns the resident memory in bytes, the number of open descriptors, and the number of child processes, according
   * to Linux.
   */
  resources(): { readonly memory: number; readonly descriptors: number; readonly children: number } {
    const folder = `/proc/${this.#child.pid}`
    const kilobytes = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`${folder}/status`, "utf8"))?.[1]
    const children = readdirSync(`${folder}/task`).flatMap((thread) =>
      readFileSync(`${folder}/task/${thread}/children`, "utf8").split(" ").filter(Boolean)
    )
    return {
      memory: Number(kilobytes) * 1024,
      descriptors: readdirSync(`${folder}/fd`).length,
      children: children.length
    }
  }

  /** Asks the process to stop; returns its exit code, or the signal with which it had to be ended. */
  async stop(): Promise<number | string | null> {
    if (!this.isAlive) return this.#child.exitCode ?? this.#child.signalCode
    const ended = once(this.#child, "exit") as Promise<[number | null, string | null]>
    this.#child.kill("SIGTERM")
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_MS)
    const [exit, signal] = await ended
    clearTimeout(timer)
    return exit ?? signal
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isAlive) return
    const ended = once(this.#child, "exit")
    this.#child.kill("SIGKILL")
    await ended
  }
}
