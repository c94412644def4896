import { once } from "node:events"
import { createServer, type AddressInfo, type Server, type Socket } from "node:net"

/** A request as it came. */
export interface VendorRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/** The server's side of one connection, byte for byte. */
export interface VendorConnection {
  /** Resolves once the kernel has taken the bytes; rejects when the client has gone. */
  write(bytes: string | Uint8Array): Promise<void>
  /** Closes as TCP closes: nothing more will come. */
  end(): void
  /** Breaks the connection with a reset. */
  reset(): void
  /** Resolves when the client has gone. */
  readonly gone: Promise<void>
}

export type Play = (connection: VendorConnection, request: VendorRequest) => Promise<void>

const parse = (head: string, body: string): VendorRequest => {
  const [first = "", ...lines] = head.split("\r\n")
  const [method = "", path = ""] = first.split(" ")
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(":")).toLowerCase(),
    line.slice(line.indexOf(":") + 1)
  ])
  return {
    method,
    path,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, value?.trim()])),
    body: body === "" ? {} : JSON.parse(body)
  }
}

const readRequest = async (socket: Socket): Promise<VendorRequest | undefined> => {
  let bytes = Buffer.alloc(0)
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk])
    const end = bytes.indexOf("\r\n\r\n")
    if (end < 0) continue
    const head = bytes.subarray(0, end).toString()
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    const body = bytes.subarray(end + 4)
    if (body.length >= length) return parse(head, body.subarray(0, length).toString())
  }
  return undefined
}

/**
 * A test server that answers each request with the bytes that `play` writes, valid or not, at any pace. One request
 * per connection. It counts the connections on which it is still writing.
 */
export class FakeVendor implements AsyncDisposable {
  readonly requests: Array<VendorRequest> = []
  working = 0
  /** The most connections it was at work on at the same time. */
  mostAtOnce = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  constructor(play: Play) {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on("error", () => undefined)
      socket.once("close", () => this.#sockets.delete(socket))
      void this.#serve(socket, play)
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async #serve(socket: Socket, play: Play): Promise<void> {
    const request = await readRequest(socket).catch(() => undefined)
    if (request === undefined) return
    this.requests.push(request)
    this.working += 1
    this.mostAtOnce = Math.max(this.mostAtOnce, this.working)
    const gone = new Promise<void>((resolve) => socket.once("close", () => resolve()))
    socket.resume()
    const write = async (bytes: string | Uint8Array) => {
      if (socket.destroyed) throw new Error("The client has gone.")
      if (socket.write(bytes)) return
      await Promise.race([once(socket, "drain"), gone])
    }
    const connection = { write, gone, end: () => void socket.end(), reset: () => void socket.resetAndDestroy() }
    await play(connection, request).catch(() => undefined)
    await gone
    this.working -= 1
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, "close")
  }
}
