import { createServer, type Server, type Socket } from "node:net"
import type { AddressInfo } from "node:net"

const field = (letter: string, text: string) => Buffer.from(`${letter}${text}\0`)

/** An `ErrorResponse` of the wire protocol. Its text is the server's own, which must not reach the output. */
const errorResponse = (code: string): Buffer => {
  const body = Buffer.concat([
    field("S", "FATAL"),
    field("V", "FATAL"),
    field("C", code),
    field("M", "hunter2 words of the server"),
    Buffer.from("\0")
  ])
  const head = Buffer.from("E\0\0\0\0")
  head.writeInt32BE(body.byteLength + 4, 1)
  return Buffer.concat([head, body])
}

/** A Postgres that refuses every connection with one SQLSTATE. */
export class RefusingPostgres implements AsyncDisposable {
  connections = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(code: string) {
    this.#server = createServer((socket) => {
      this.connections += 1
      this.#sockets.add(socket)
      socket.on("error", () => undefined)
      socket.once("data", () => socket.end(errorResponse(code)))
    })
  }

  static async start(code: string): Promise<RefusingPostgres> {
    const postgres = new RefusingPostgres(code)
    await new Promise<void>((resolve) => postgres.#server.listen(0, "127.0.0.1", resolve))
    return postgres
  }

  get url(): string {
    return `postgres://hunter2:hunter2@127.0.0.1:${(this.#server.address() as AddressInfo).port}/hunter2`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
