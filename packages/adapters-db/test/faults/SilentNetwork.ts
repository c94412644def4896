import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"

/**
 * Stands between clients and a Postgres server, and can fall silent as a network does: sockets stay open, new ones are
 * accepted, and no data passes. Connections that were open then stay silent for ever; later ones pass again.
 */
export class SilentNetwork implements AsyncDisposable {
  readonly #target: { readonly host: string; readonly port: number }
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #pairs: Array<readonly [Socket, Socket]> = []
  #silent = false

  private constructor(host: string, port: number) {
    this.#target = { host, port }
    this.#server = createServer((client) => this.#accept(client))
  }

  static async open(url: string): Promise<SilentNetwork> {
    const { hostname, port } = new URL(url)
    const network = new SilentNetwork(hostname, Number(port === "" ? 5432 : port))
    network.#server.listen(0, "127.0.0.1")
    await once(network.#server, "listening")
    return network
  }

  /** The connection string, by way of this network. */
  through(url: string): string {
    const by = new URL(url)
    by.hostname = "127.0.0.1"
    by.port = String((this.#server.address() as AddressInfo).port)
    return by.href
  }

  /** From now on nothing passes, in either direction. */
  fallSilent(): void {
    this.#silent = true
    for (const [one, other] of this.#pairs) {
      one.unpipe(other)
      other.unpipe(one)
      one.pause()
      other.pause()
    }
    this.#pairs = []
  }

  /** New connections pass again. */
  workAgain(): void {
    this.#silent = false
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, "close")
  }

  #accept(client: Socket): void {
    this.#keep(client)
    if (this.#silent) return void client.pause()
    const server = connect(this.#target)
    this.#keep(server)
    client.pipe(server)
    server.pipe(client)
    client.once("close", () => server.destroy())
    server.once("close", () => client.destroy())
    this.#pairs.push([client, server])
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    socket.on("error", () => undefined)
    socket.once("close", () => this.#sockets.delete(socket))
  }
}
