import { rmSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { type Answer, type CommandRequest, type Greeting, isCommandRequest, readFrames, writeFrame } from "./frames.ts"
import { withSocketAddress } from "./socketAddress.ts"

/** Runs a command in this process and returns its exit code. The signal aborts if the sender disconnects. */
export type RunCommand = (
  command: CommandRequest,
  answer: (answer: Answer) => void,
  signal: AbortSignal
) => Promise<number>

/** Accepts the commands of other processes on the socket of a data folder that this process owns. */
export class CommandServer {
  readonly #folder: string
  readonly #server: Server
  readonly #greeting: Greeting
  readonly #sockets = new Set<Socket>()
  readonly #running = new Set<Promise<void>>()
  readonly #waiting: Array<(run: RunCommand) => void> = []
  #run: RunCommand | undefined

  private constructor(folder: string, greeting: Greeting) {
    this.#folder = folder
    this.#greeting = greeting
    this.#server = createServer((socket) => void this.#receive(socket))
    this.#server.unref()
  }

  /**
   * Listens on the socket in `folder`, with mode 0600 from the start. The caller owns the folder, so an existing socket
   * belongs to a dead owner and is replaced. Rejects with the system's error.
   */
  static async listen(folder: string, greeting: Greeting): Promise<CommandServer> {
    const listening = new CommandServer(folder, greeting)
    const server = listening.#server
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject)
      const mask = process.umask(0o177)
      try {
        withSocketAddress(folder, (address) => {
          rmSync(address, { force: true })
          server.listen(address, resolve)
        })
      } finally {
        process.umask(mask)
      }
      server.once("listening", () => server.off("error", reject))
    })
    return listening
  }

  /** Runs the commands that are waiting, and those that arrive from now on. */
  open(run: RunCommand): void {
    this.#run = run
    for (const wake of this.#waiting.splice(0)) wake(run)
  }

  /** Interrupts the running commands; commands that arrive from now on wait. */
  async clear(): Promise<void> {
    this.#run = undefined
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(this.#running)
  }

  /** Releases the folder. Closing the server also removes the socket's file at once. */
  async close(): Promise<void> {
    await this.clear()
    await new Promise((resolve) => withSocketAddress(this.#folder, () => this.#server.close(resolve)))
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
    for await (const command of readFrames<unknown>(socket)) {
      if (!isCommandRequest(command)) break
      const running = this.#perform(command, socket, left.signal)
      this.#running.add(running)
      await running.finally(() => this.#running.delete(running))
      break
    }
    socket.end()
  }

  async #perform(command: CommandRequest, socket: Socket, signal: AbortSignal): Promise<void> {
    const run = this.#run ?? (await this.#opening(signal))
    if (run === undefined || signal.aborted) return
    writeFrame(socket, { began: true })
    writeFrame(socket, { exit: await run(command, (answer) => writeFrame(socket, answer), signal) })
  }

  /** Waits until this server accepts commands; resolves with undefined if the sender disconnects first. */
  #opening(signal: AbortSignal): Promise<RunCommand | undefined> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      signal.addEventListener("abort", () => resolve(undefined), { once: true })
    })
  }
}
