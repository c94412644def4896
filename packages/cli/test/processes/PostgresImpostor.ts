import { readFileSync } from "node:fs"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { TLSSocket } from "node:tls"
import type { Certificate } from "./certificates.ts"

/** The request for TLS, with which a client begins (PostgreSQL 17, 53.7, "SSLRequest"). */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/**
 * Stands in the place of a database server and reads what a client reveals to it: without TLS, or with a certificate of its
 * own making.
 */
export class PostgresImpostor implements AsyncDisposable {
  connections = 0
  /** What clients sent besides the request for TLS, decrypted. */
  heard = Buffer.alloc(0)
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(certificate: Certificate | undefined) {
    this.#server = createServer((socket) => {
      this.connections += 1
      this.#sockets.add(socket)
      socket.on("error", () => undefined)
      socket.once("data", (first: Buffer) => this.#begin(socket, first, certificate))
    })
  }

  static async start(certificate?: Certificate): Promise<PostgresImpostor> {
    const impostor = new PostgresImpostor(certificate)
    await new Promise<void>((resolve) => impostor.#server.listen(0, "127.0.0.1", resolve))
    return impostor
  }

  /** Its address as that of a database, by a name of this machine and with parameters. */
  url(host: string, parameters: string): string {
    const { port } = this.#server.address() as AddressInfo
    return `postgres://hunter2:hunter2@${host}:${port}/hunter2?${parameters}`
  }

  #begin(socket: Socket, first: Buffer, certificate: Certificate | undefined): void {
    if (!first.equals(TLS_REQUEST)) return this.#hear(socket, first)
    socket.write(certificate === undefined ? "N" : "S")
    if (certificate === undefined) {
      socket.on("data", (more: Buffer) => this.#hear(socket, more))
      return
    }
    const [cert, key] = [readFileSync(certificate.cert), readFileSync(certificate.key)]
    const secure = new TLSSocket(socket, { isServer: true, cert, key })
    secure.on("error", () => undefined)
    secure.on("data", (more: Buffer) => this.#hear(socket, more))
  }

  /** Ends the connection, so that no client waits for it. */
  #hear(socket: Socket, more: Buffer): void {
    this.heard = Buffer.concat([this.heard, more])
    socket.destroy()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
