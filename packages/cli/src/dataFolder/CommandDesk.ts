import { createServer, type Server, type Socket } from "node:net"
import { type Answer, type Errand, type Greeting, isErrand, readFrames, writeFrame } from "./frames.ts"
import { withSocketAddress } from "./socketAddress.ts"

/** Runs a command here and gives its exit code; the signal aborts when whoever sent it leaves. */
export type RunErrand = (errand: Errand, answer: (answer: Answer) => void, signal: AbortSignal) => Promise<number>

/** Where the owner of a data folder takes in the commands of other processes. */
export class CommandDesk {
  readonly server: Server
  readonly #folder: string
  readonly #greeting: Greeting
  readonly #sockets = new Set<Socket>()
  readonly #running = new Set<Promise<void>>()
  readonly #waiting: Array<(run: RunErrand) => void> = []
  #run: RunErrand | undefined

  constructor(folder: string, greeting: Greeting) {
    this.#folder = folder
    this.#greeting = greeting
    this.server = createServer((socket) => void this.#receive(socket))
    this.server.unref()
  }

  /** Runs the commands that wait and those that come. */
  open(run: RunErrand): void {
    this.#run = run
    for (const wake of this.#waiting.splice(0)) wake(run)
  }

  /** Interrupts the commands that run; those that come wait. */
  async clear(): Promise<void> {
    this.#run = undefined
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(this.#running)
  }

  /** Gives the folder up. Closing the server removes the socket's file, in this very call. */
  async close(): Promise<void> {
    await this.clear()
    await new Promise((resolve) => withSocketAddress(this.#folder, () => this.server.close(resolve)))
  }

  async #receive(socket: Socket): Promise<void> {
    this.#sockets.add(socket)
    const left = new AbortController()
    socket.on("error", () => undefined)
    socket.once("close", () => {
      this.#sockets.delete(socket)
      left.abort()
    })
    writeFrame(socket, this.#greeting)
    for await (const errand of readFrames<unknown>(socket)) {
      if (!isErrand(errand)) break
      const running = this.#perform(errand, socket, left.signal)
      this.#running.add(running)
      await running.finally(() => this.#running.delete(running))
      break
    }
    socket.end()
  }

  async #perform(errand: Errand, socket: Socket, signal: AbortSignal): Promise<void> {
    const run = this.#run ?? (await this.#opening(signal))
    if (run === undefined || signal.aborted) return
    writeFrame(socket, { began: true })
    writeFrame(socket, { exit: await run(errand, (answer) => writeFrame(socket, answer), signal) })
  }

  /** Waits until commands are taken; undefined where the sender leaves first. */
  #opening(signal: AbortSignal): Promise<RunErrand | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      signal.addEventListener("abort", () => resolve(undefined), { once: true })
    })
  }
}
