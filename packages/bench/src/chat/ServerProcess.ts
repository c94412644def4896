import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

const PRELOAD = fileURLToPath(new URL("tellProcessorTime.ts", import.meta.url))
const LISTENS = /https?:\/\/[\w.-]+:(\d+)/
const START_MS = 60_000

/** A server in a process of its own, on the same version of Node as this process. */
export class ServerProcess implements AsyncDisposable {
  readonly url: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, port: string) {
    this.#child = child
    this.url = `http://127.0.0.1:${port}`
  }

  /** Starts a program and waits until it prints, on either output, the address at which it listens. */
  static async start(
    program: URL,
    args: ReadonlyArray<string>,
    environment: Readonly<Record<string, string>>
  ): Promise<ServerProcess> {
    const child = spawn(
      process.execPath,
      ["--conditions=@parley/source", "--import", PRELOAD, fileURLToPath(program), ...args],
      { env: { PATH: process.env["PATH"], ...environment }, stdio: ["ignore", "pipe", "pipe", "ipc"] }
    )
    let said = ""
    const port = await new Promise<string>((resolve, reject) => {
      const fail = () => reject(new Error(`${program.pathname} did not listen: ${said}`))
      const timer = setTimeout(fail, START_MS)
      child.once("exit", fail)
      for (const output of [child.stdout, child.stderr]) {
        output?.setEncoding("utf8").on("data", (text: string) => {
          said = (said + text).slice(-4096)
          const found = LISTENS.exec(said)?.[1]
          if (found === undefined) return
          clearTimeout(timer)
          resolve(found)
        })
      }
    })
    return new ServerProcess(child, port)
  }

  /** Resolves with the next message from the process. */
  async nextMessage(): Promise<unknown> {
    const [message] = (await once(this.#child, "message")) as [unknown]
    return message
  }

  /** Returns the user and system time that the process has used so far, in milliseconds. */
  async processorMilliseconds(): Promise<number> {
    this.#child.send("processor time")
    const answer = (await this.nextMessage()) as { readonly processorTime: number }
    return answer.processorTime / 1000
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return
    const ended = once(this.#child, "exit")
    this.#child.kill("SIGKILL")
    await ended
  }
}
