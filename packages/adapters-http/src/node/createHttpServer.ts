import { createServer, maxHeaderSize, type RequestListener, type Server } from "node:http"
import type { Socket } from "node:net"
import { setImmediate as nextRound, setTimeout as delay } from "node:timers/promises"
import { HeadTooLarge, InvalidRequest, RequestTooSlow } from "../problems/errors.ts"
import { boundConnections, type ConnectionBounds, refuseSocket } from "./boundConnections.ts"
import type { RequestTracker } from "../server/requests.ts"

export interface HttpServerOptions {
  /** The requests that `close` waits for; pass the same tracker to `parleyRouter`. */
  readonly requests?: RequestTracker | undefined
  /**
   * The largest number of connections; default 10,000 in all and 500 from one address. Set `perPeer` to undefined
   * behind a proxy, which connects for all clients.
   */
  readonly connections?: ConnectionBounds | undefined
}

export interface HttpServer {
  /** Node's own server, for uses that are not covered here, for example upgrades. */
  readonly server: Server
  /**
   * Starts listening; port 0 takes a free one. `descriptor` is an open TCP socket that another program, such as
   * systemd, listens on and passes to this process. Rejects if the address is not available, or the descriptor is not
   * such a socket.
   */
  listen(
    input: { readonly host: string; readonly port: number } | { readonly descriptor: number }
  ): Promise<{ readonly host: string; readonly port: number }>
  /**
   * Stops accepting connections, lets running requests finish, and cuts off the rest after `deadlineMs`. Resolves after
   * every request has ended and its holds are settled. For the first `delayMs` (0 by default) the server still takes
   * requests, while `/readyz` answers 503 and each response closes its connection, so that proxies choose another
   * server before this one refuses connections.
   */
  close(input: { readonly deadlineMs: number; readonly delayMs?: number | undefined }): Promise<void>
}

const CONNECTIONS: ConnectionBounds = { total: 10_000, perPeer: 500 }
const HEADERS_MS = 20_000
/** Interval of the check for requests that arrive too slowly. */
const CHECK_MS = 5_000
/** Longest time in which a request has to arrive completely; the streaming of the answer has no limit. */
const REQUEST_MS = 300_000
const KEEP_ALIVE_MS = 65_000
const IDLE_CHECK_MS = 50
/** The number of connections that the system queues until Node accepts them: Node's own default. */
const BACKLOG = 511
/**
 * The same for a socket that another program passed, as large as the system allows: connections wait there while one
 * server process replaces another.
 */
const PASSED_BACKLOG = 65_535
/**
 * Time that a connection has for its first request while the server closes; browsers open connections that they never
 * use. It is at least the delay, because a proxy on a busy machine opens a connection long before it sends the request.
 */
const SILENT_MS = 500

/** An HTTP server with bounds on slow clients, problem details for invalid HTTP, and an orderly stop. */
export const createHttpServer = (listener: RequestListener, options: HttpServerOptions = {}): HttpServer => {
  const { connections = CONNECTIONS, requests } = options
  const server = createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_MS
    },
    listener
  )
  const isUnderWay = boundConnections(server, connections)
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const isHalfAnswered = socket.bytesWritten > 0 && isUnderWay(socket)
    if (error.code === "ECONNRESET" || !socket.writable || isHalfAnswered) socket.destroy()
    else refuseSocket(socket, refusalOf(error))
  })
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  return {
    server,
    listen: (input) => listen(server, input),
    close: async ({ deadlineMs, delayMs = 0 }) => {
      if (delayMs > 0) await announceStop(server, requests, delayMs)
      await acceptWaiting(server)
      await closeServer(server, sockets, { deadlineMs, silentMs: Math.max(SILENT_MS, delayMs) })
      await requests?.idle()
    }
  }
}

const listen = (server: Server, input: Parameters<HttpServer["listen"]>[0]) =>
  new Promise<{ readonly host: string; readonly port: number }>((resolve, reject) => {
    server.once("error", reject)
    const onListening = () => {
      server.off("error", reject)
      const address = server.address()
      if (address === null || typeof address === "string") {
        server.close()
        return reject(new TypeError("The descriptor is not a TCP socket."))
      }
      resolve({ host: address.address, port: address.port })
    }
    if ("descriptor" in input) server.listen({ fd: input.descriptor }, PASSED_BACKLOG, onListening)
    else server.listen({ host: input.host, port: input.port }, onListening)
  })

/** Makes proxies choose another server: `/readyz` answers 503, and each response closes its connection. */
const announceStop = (server: Server, requests: RequestTracker | undefined, delayMs: number): Promise<void> => {
  requests?.announceStop()
  server.prependListener("request", (_, response) => {
    response.shouldKeepAlive = false
  })
  return delay(delayMs)
}

/**
 * Accepts the connections that clients have opened already. When listening ends, the system resets waiting connections
 * with their requests, and a proxy must not send those again. Node accepts at most one connection in each round of its
 * event loop, and the first round may be past that point, so two empty rounds are awaited.
 */
const acceptWaiting = async (server: Server): Promise<void> => {
  let emptyRounds = 0
  const onConnection = () => void (emptyRounds = 0)
  server.on("connection", onConnection)
  for (let round = 0; emptyRounds < 2 && round < BACKLOG; round += 1) {
    emptyRounds += 1
    await nextRound()
  }
  server.off("connection", onConnection)
}

const closeServer = async (
  server: Server,
  sockets: ReadonlySet<Socket>,
  { deadlineMs, silentMs }: { readonly deadlineMs: number; readonly silentMs: number }
): Promise<void> => {
  if (!server.listening) return
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
  // A connection that finishes its request after this moment would be kept alive, and the server could not close.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  // Node counts a connection that has sent nothing yet as busy and does not close it.
  const silent = setTimeout(() => void destroySilent(sockets), silentMs)
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
  await closed
  clearTimeout(silent)
  clearInterval(idle)
  clearTimeout(deadline)
}

/**
 * Destroys the connections that have sent nothing. Two rounds of the event loop first let a delayed process read the
 * data that it has received already.
 */
const destroySilent = async (sockets: ReadonlySet<Socket>): Promise<void> => {
  for (let round = 0; round < 2; round += 1) await nextRound()
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
}

/** The refusal of data that is not HTTP, too long, or too slow. */
const refusalOf = ({ code }: NodeJS.ErrnoException): Error => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new RequestTooSlow()
  if (code === "HPE_HEADER_OVERFLOW") return new HeadTooLarge({ limit: maxHeaderSize })
  return new InvalidRequest({ issues: [{ path: "request", message: "Expected a complete HTTP/1.1 request" }] })
}
