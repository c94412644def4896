import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A way to a database that can fall silent: connections stay open, and nothing comes through any more. */
export class SilentDatabase implements AsyncDisposable {
  readonly #sockets = new Set<Socket>()
  readonly #server
  #silent = false

  private constructor(url: string) {
    const { hostname, port } = new URL(url)
    this.#server = createServer((client) => {
      const database = connect({ host: hostname, port: Number(port === "" ? 5432 : port) })
      for (const [from, to] of [
        [client, database],
        [database, client]
      ] as const) {
        this.#sockets.add(from)
        from.on("error", () => to.destroy())
        from.on("close", () => to.destroy())
        from.on("data", (bytes) => {
          if (!this.#silent) to.write(bytes)
        })
      }
    })
  }

  static async before(url: string): Promise<SilentDatabase> {
    const made = new SilentDatabase(url)
    made.#server.listen(0, "127.0.0.1")
    await once(made.#server, "listening")
    return made
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  fallSilent(): void {
    this.#silent = true
  }

  /** Passes later data on again. Earlier data is lost, and so are the connections that wait for it. */
  speakAgain(): void {
    this.#silent = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, "close")
  }
}
