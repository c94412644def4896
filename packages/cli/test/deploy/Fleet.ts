import type { CrashRig } from "../crash/CrashRig.ts"
import { type Ended, eventually, ParleyProcess } from "../processes/ParleyProcess.ts"
import { listens, openPort } from "./ports.ts"
import { SESSION_SECRET } from "./SteadyReaders.ts"

interface Program {
  /** The main file; undefined is the program of this repository. */
  readonly main?: string | undefined
}

/**
 * Three servers on one database, each on a port of its own. A restart is that of a service manager: the next process of
 * a port starts as soon as the one before has stopped listening, which meanwhile finishes its replies.
 */
export class Fleet implements AsyncDisposable {
  readonly ports: ReadonlyArray<number>
  /** The processes that were asked to stop. */
  readonly leaving: Array<Promise<Ended>> = []
  readonly #rig: CrashRig
  readonly #settings: Readonly<Record<string, string>>
  readonly #all: Array<ParleyProcess> = []
  readonly #serving: Array<ParleyProcess> = []

  private constructor(rig: CrashRig, settings: Readonly<Record<string, string>>, ports: ReadonlyArray<number>) {
    this.#rig = rig
    this.#settings = settings
    this.ports = ports
  }

  static async start(rig: CrashRig, settings: Readonly<Record<string, string>>, program: Program = {}): Promise<Fleet> {
    const fleet = new Fleet(rig, settings, [await openPort(), await openPort(), await openPort()])
    // One after another: the first one migrates the database.
    for (const index of fleet.ports.keys()) await fleet.#begin(index, program)
    return fleet
  }

  /** Restarts all servers, one after another, with another program if one is given. */
  async roll(program: Program = {}): Promise<void> {
    for (const [index, port] of this.ports.entries()) {
      const old = this.#serving[index]
      old?.child.kill("SIGTERM")
      if (old !== undefined) this.leaving.push(old.ended)
      await eventually("the server to take no more connections", async () => ((await listens(port)) ? undefined : true))
      await this.#begin(index, program)
    }
  }

  async #begin(index: number, { main }: Program): Promise<void> {
    const port = this.ports[index] ?? 0
    const environment = {
      ...this.#rig.environment,
      PORT: String(port),
      PARLEY_SESSION_SECRET: SESSION_SECRET,
      PARLEY_TRUST_PROXY: "1",
      ...this.#settings
    }
    const server = new ParleyProcess(["serve"], this.#rig.folder, environment, main)
    this.#all.push(server)
    this.#serving[index] = server
    let last = "nothing"
    const look = async () => {
      if (server.child.exitCode !== null) throw new Error(`A server ended: ${server.stderr}`)
      try {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) })
        last = `${answer.status} ${await answer.text()}`
        return answer.status === 200 ? true : undefined
      } catch (error) {
        last = String(error)
        return undefined
      }
    }
    await eventually("the server to be ready", look).catch((error: Error) => {
      throw new Error(`${error.message} The last answer was ${last}; its log: ${server.stdout}${server.stderr}`)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#all.map((each) => each[Symbol.asyncDispose]()))
  }
}
