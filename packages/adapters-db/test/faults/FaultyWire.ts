import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { queryMessage, requestText, type WireMessage, WireReader } from "./wireMessages.ts"

/**
 * The faults of one request on its way:
 * - `refused`: the server refuses it as worth trying again (a serialization failure); `failed`: as broken (an I/O
 *   error);
 * - `cancelled`: another session cancels it before it begins, so that a COMMIT leaves its transaction unusable;
 * - `terminated`: the server ends the connection instead of running it;
 * - `cut before`: the connection is cut, and the request never arrives;
 * - `cut during`: it arrives, and the connection is cut at once;
 * - `cut after`: the server has run it, and the connection is cut before the answer;
 * - `late`: the connection is cut, and the request arrives later, when it may have been sent again.
 */
export const FAULTS = [
  "refused",
  "failed",
  "cancelled",
  "terminated",
  "cut before",
  "cut during",
  "cut after",
  "late"
] as const
export type Fault = (typeof FAULTS)[number]

/** A late request inside a transaction holds locks that a repetition waits for, so that it must come by itself. */
const LATE_MS = 25

const CANCELLED = "57014"

/** A COMMIT that fails has rolled back. */
const raise = (sqlState: string, text: string) =>
  queryMessage(
    `${text === "COMMIT" && sqlState !== CANCELLED ? "ROLLBACK; " : ""}DO $$ BEGIN RAISE 'A fault on purpose.' USING ERRCODE = '${sqlState}'; END $$`
  )

/** The message that is sent instead of a request. */
const replacementOf = (fault: Fault, text: string): Buffer | undefined => {
  if (fault === "refused") return raise("40001", text)
  if (fault === "cancelled") return raise(CANCELLED, text)
  if (fault === "failed") return raise("58030", text)
  // Its own connection; the role of a transaction may not.
  return fault === "terminated" ? queryMessage("ROLLBACK; SELECT pg_terminate_backend(pg_backend_pid())") : undefined
}

/** One client's connection, and the server's end of it. */
interface Wire {
  readonly number: number
  readonly client: Socket
  readonly server: Socket
  /** Messages of the request that is not whole yet. */
  request: Array<WireMessage>
  /** The action after the server's answer, in place of passing the answer on. */
  onAnswer: (() => void) | undefined
}

/**
 * Stands between clients and a Postgres server and counts requests: simple queries, and statements with parameters up
 * to their Sync. It applies the given faults to requests, and passes on all others.
 */
export class FaultyWire implements AsyncDisposable {
  readonly #target: { readonly host: string; readonly port: number }
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #unfinished = new Set<Promise<unknown>>()
  #faults: ReadonlyMap<number, Fault> = new Map()
  #before: (text: string, connection: number) => Promise<void> = () => Promise.resolve()
  #connections = 0
  /** The SQL texts of all requests since `start`. */
  requests: Array<string> = []

  private constructor(host: string, port: number) {
    this.#target = { host, port }
    this.#server = createServer((client) => this.#accept(client))
  }

  /** Opens a wire to the server of a connection string. */
  static async open(url: string): Promise<FaultyWire> {
    const { hostname, port } = new URL(url)
    const wire = new FaultyWire(hostname, Number(port === "" ? 5432 : port))
    wire.#server.listen(0, "127.0.0.1")
    await once(wire.#server, "listening")
    return wire
  }

  /** The connection string, by way of this wire. */
  through(url: string): string {
    const by = new URL(url)
    by.hostname = "127.0.0.1"
    by.port = String((this.#server.address() as AddressInfo).port)
    return by.href
  }

  /**
   * Counts from 0 again; `faults` names the fault of each request, `before` runs before each request with the
   * connection's number.
   */
  start(
    faults: ReadonlyMap<number, Fault> = new Map(),
    before?: (text: string, connection: number) => Promise<void>
  ): void {
    this.requests = []
    this.#faults = faults
    this.#before = before ?? (() => Promise.resolve())
  }

  /** Waits until the server has done, or given up, all that clients no longer wait for. */
  async settled(): Promise<void> {
    while (this.#unfinished.size > 0) await Promise.allSettled(this.#unfinished)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, "close")
  }

  #accept(client: Socket): void {
    const server = connect(this.#target)
    const wire: Wire = { number: ++this.#connections, client, server, request: [], onAnswer: undefined }
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on("error", () => undefined)
      socket.once("close", () => this.#sockets.delete(socket))
    }
    client.once("end", () => server.end())
    server.once("close", () => client.destroy())
    const asked = new WireReader("client")
    const answered = new WireReader("server")
    client.on("data", (bytes) => {
      for (const message of asked.read(bytes)) this.#onAsked(wire, message)
    })
    server.on("data", (bytes) => {
      const isWhole = answered.read(bytes).some(({ type }) => type === "Z")
      if (wire.onAnswer === undefined) return void client.write(bytes)
      if (isWhole) wire.onAnswer()
    })
  }

  #onAsked(wire: Wire, message: WireMessage): void {
    const isRequest = wire.request.length > 0 || "QPBDECHS".includes(message.type)
    if (message.type === "" || !isRequest) return void wire.server.write(message.bytes)
    wire.request.push(message)
    if (message.type !== "Q" && message.type !== "S") return
    const bytes = Buffer.concat(wire.request.map((part) => part.bytes))
    const text = requestText(wire.request)
    wire.request = []
    const fault = this.#faults.get(this.requests.push(text) - 1)
    const replacement = fault === undefined ? bytes : replacementOf(fault, text)
    void this.#before(text, wire.number).then(() => this.#carry(wire, replacement, bytes, fault))
  }

  #carry(wire: Wire, instead: Buffer | undefined, bytes: Buffer, fault: Fault | undefined): void {
    const { client, server } = wire
    if (instead !== undefined) return void server.write(instead)
    if (fault === "cut before") {
      server.destroy()
      return void client.destroy()
    }
    // The client has gone while "before" ran: nothing arrives, and no close follows.
    if (server.closed) return
    const done = Promise.withResolvers<void>()
    this.#unfinished.add(done.promise)
    void done.promise.then(() => this.#unfinished.delete(done.promise))
    server.once("close", () => done.resolve())
    // Closed in order, so that the server rolls back its transaction before the test reads.
    wire.onAnswer = () => {
      client.destroy()
      server.end()
    }
    if (fault === "late") setTimeout(() => server.write(bytes), LATE_MS)
    else server.write(bytes)
    if (fault !== "cut after") client.destroy()
  }
}
