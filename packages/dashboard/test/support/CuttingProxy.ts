import { connect, createServer, type Server, type Socket } from "node:net"

/** Chunks of a reply that pass before it is cut: its head and its first words. */
const CUT_AFTER = 8

/** Stands between browser and server. It can break the connection of a reply half-way, and all connections. */
export class CuttingProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #cutReplies = false
  #isAway = false

  private constructor(target: URL) {
    this.#server = createServer((client) => {
      if (this.#isAway) return client.destroy()
      const upstream = connect(Number(target.port), target.hostname)
      let isReply = false
      let chunks = 0
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket)
        socket.on("error", () => socket.destroy())
        socket.on("close", () => this.#sockets.delete(socket))
      }
      client.on("data", (bytes: Buffer) => {
        isReply = bytes.toString("latin1").startsWith("POST /api/chat ")
        chunks = 0
        upstream.write(bytes)
      })
      upstream.on("data", (bytes: Buffer) => {
        client.write(bytes)
        chunks += 1
        if (this.#cutReplies && isReply && chunks === CUT_AFTER) client.destroy()
      })
      client.on("close", () => upstream.destroy())
      upstream.on("close", () => client.destroy())
    })
  }

  static async start(url: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(url))
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve))
    return proxy
  }

  get url(): string {
    const address = this.#server.address()
    if (address === null || typeof address === "string") throw new Error("The proxy does not listen.")
    return `http://127.0.0.1:${address.port}`
  }

  /** From now on replies break off after their first words, or do not. */
  cutReplies(cut: boolean): void {
    this.#cutReplies = cut
  }

  /** From now on the server cannot be reached through the proxy, or can again. */
  away(isAway: boolean): void {
    this.#isAway = isAway
    if (isAway) for (const socket of this.#sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }
}
