import { createServer, maxHeaderSize, type RequestListener, type Server } from "node:http"
import type { Socket } from "node:net"
import { setImmediate as nextRound, setTimeout as delay } from "node:timers/promises"
import { HeadTooLarge, InvalidRequest, RequestTooSlow } from "../problems/errors.ts"
import { boundConnections, type ConnectionBounds, refuseSocket } from "./boundConnections.ts"
import type { RequestTracker } from "../server/requests.ts"

export interface HttpServerOptions {
  /** Awaited when closing; pass it to `parleyRouter` as well. */
  readonly requests?: RequestTracker | undefined
  /**
   * The most connections; default 10,000 in all and 500 from one address. Set `perPeer` to undefined behind a proxy,
   * which forwards those of all clients.
   */
  readonly connections?: ConnectionBounds | undefined
}

export interface HttpServer {
  /** For uses that are not covered here, for example upgrades. */
  readonly server: Server
  /**
   * Starts listening; port 0 takes a free one. `descriptor` is an open TCP socket that another program, such as systemd,
   * listens on and passes to this process. Rejects if the address is not available, or the descriptor is not such a
   * socket.
   */
  listen(
    input: { readonly host: string; readonly port: number } | { readonly descriptor: number }
  ): Promise<{ readonly host: string; readonly port: number }>
  /**
   * Stops accepting connections, lets running requests finish, and cuts off the rest after `deadlineMs`. Resolves
   * after every request has ended and its holds are settled. For `delayMs` before that (0 by default) the server takes
   * requests as before, while `/readyz` answers 503 and each response closes its connection, so that proxies choose
   * another server before this one refuses connections.
   */
  close(input: { readonly deadlineMs: number; readonly delayMs?: number | undefined }): Promise<void>
}

const CONNECTIONS: ConnectionBounds = { total: 10_000, perPeer: 500 }
const HEADERS_MS = 20_000
/** Interval of the check for requests that arrive too slowly. */
const CHECK_MS = 5_000
/** For a request to arrive whole; a streamed answer may take as long as it likes. */
const REQUEST_MS = 300_000
const KEEP_ALIVE_MS = 65_000
const IDLE_CHECK_MS = 50
/** Connections that the system keeps until Node accepts them: Node's own default. */
const BACKLOG = 511
/** Of a passed socket: as many as the system allows, because connections wait there from one server to the next. */
const PASSED_BACKLOG = 65_535
/**
 * Time for a connection to send its first request when the server closes; browsers open some that never do. Behind a
 * proxy it is at least the delay: a proxy on a busy machine opens a connection long before it sends the request.
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

/** Has proxies look for another server: they see 503 at `/readyz`, and no connection is kept for another request. */
const announceStop = (server: Server, requests: RequestTracker | undefined, delayMs: number): Promise<void> => {
  requests?.announceStop()
  server.prependListener("request", (_, response) => {
    response.shouldKeepAlive = false
  })
  return delay(delayMs)
}

/**
 * Accepts the connections that clients have opened already. The end of listening would reset them, with their requests,
 * which a proxy must not send a second time. Node accepts at most one in each round of its event loop, of which the
 * first may be past that point.
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
  // Connections that finish their request after this moment are kept alive and would hold the server open.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  // Node takes a connection that has not sent anything yet for a busy one.
  const silent = setTimeout(() => void destroySilent(sockets), silentMs)
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs)
  await closed
  clearTimeout(silent)
  clearInterval(idle)
  clearTimeout(deadline)
}

/** Destroys the connections that have sent nothing; what a late process has received and not read yet is read before. */
const destroySilent = async (sockets: ReadonlySet<Socket>): Promise<void> => {
  for (let round = 0; round < 2; round += 1) await nextRound()
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
}

/** The data is not HTTP, too long, or too slow. */
const refusalOf = ({ code }: NodeJS.ErrnoException): Error => {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new RequestTooSlow()
  if (code === "HPE_HEADER_OVERFLOW") return new HeadTooLarge({ limit: maxHeaderSize })
  return new InvalidRequest({ issues: [{ path: "request", message: "Expected a complete HTTP/1.1 request" }] })
}
