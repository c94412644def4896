import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

const PORTS: Readonly<Record<string, number>> = { "postgres:": 5432, "postgresql:": 5432, "http:": 80 }

/** A proxy to a dependency that can fall silent: connections stay open, but no byte passes. */
export class SilentWay implements AsyncDisposable {
  readonly #sockets = new Set<Socket>()
  readonly #target: string
  readonly #server
  #silent = false

  private constructor(target: string) {
    this.#target = target
    const { hostname, port, protocol } = new URL(target)
    this.#server = createServer((client) => {
      const dependency = connect({ host: hostname, port: port === "" ? (PORTS[protocol] ?? 443) : Number(port) })
      for (const [from, to] of [
        [client, dependency],
        [dependency, client]
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

  static async to(target: string): Promise<SilentWay> {
    const made = new SilentWay(target)
    made.#server.listen(0, "127.0.0.1")
    await once(made.#server, "listening")
    return made
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** The address of the dependency through this proxy. */
  get url(): string {
    const url = new URL(this.#target)
    url.hostname = "127.0.0.1"
    url.port = String(this.port)
    return url.href
  }

  fallSilent(): void {
    this.#silent = true
  }

  /** Passes all bytes again. Bytes that arrived during the silence are lost. */
  speakAgain(): void {
    this.#silent = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, "close")
  }
}
