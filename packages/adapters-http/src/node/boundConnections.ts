import { randomUUID } from "node:crypto"
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import { ServerBusy } from "../problems/errors.ts"
import { PROBLEM_CONTENT_TYPE, problemFrom } from "../problems/Problem.ts"
import { problemHeaders } from "../problems/problemHeaders.ts"

export interface ConnectionBounds {
  /** The largest number of connections in all. */
  readonly total: number
  /** The largest number from one remote address; undefined behind a proxy, whose one address carries many people. */
  readonly perPeer: number | undefined
}

interface Peer {
  readonly address: string
  connections: number
  /** The connections without a request in progress, the one that is idle longest first. */
  readonly idle: Set<Socket>
}

/**
 * Bounds the connections of a server. At the bound, the connection that has been idle longest is closed: one of the
 * same address, or of the address with the most connections. If all of them have a request in progress, the new
 * connection is refused. Returns a function that is true for a connection with a request in progress.
 */
export const boundConnections = (server: Server, bounds: ConnectionBounds): ((socket: Socket) => boolean) => {
  const peers = new Map<string, Peer>()
  const peerOf = new Map<Socket, Peer>()
  /** The number of requests in progress on each connection, which answers its requests in order. */
  const underWay = new WeakMap<Socket, number>()

  const hasTooMany = ({ address, connections }: Peer): boolean =>
    bounds.perPeer !== undefined && connections > bounds.perPeer && !isThisMachine(address)
  const victimOf = (peer: Peer): Socket | undefined => {
    if (hasTooMany(peer)) return first(peer.idle)
    const largest = [...peers.values()].toSorted((a, b) => b.connections - a.connections)
    return largest.map((each) => first(each.idle)).find((socket) => socket !== undefined)
  }
  const forget = (socket: Socket): void => {
    const peer = peerOf.get(socket)
    if (peer === undefined) return
    peerOf.delete(socket)
    peer.idle.delete(socket)
    peer.connections -= 1
    if (peer.connections === 0) peers.delete(peer.address)
  }

  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? ""
    const peer = peers.get(address) ?? { address, connections: 0, idle: new Set() }
    peers.set(address, peer)
    peer.connections += 1
    peerOf.set(socket, peer)
    socket.once("close", () => forget(socket))
    if (peerOf.size > bounds.total || hasTooMany(peer)) {
      const victim = victimOf(peer)
      forget(victim ?? socket)
      if (victim === undefined) return refuseSocket(socket, new ServerBusy())
      victim.destroy()
    }
    peer.idle.add(socket)
  })
  server.prependListener("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    const peer = peerOf.get(socket)
    if (peer === undefined) return
    peer.idle.delete(socket)
    underWay.set(socket, (underWay.get(socket) ?? 0) + 1)
    response.once("close", () => {
      const left = (underWay.get(socket) ?? 1) - 1
      underWay.set(socket, left)
      if (left === 0 && peerOf.has(socket)) peer.idle.add(socket)
    })
  })
  return (socket) => (underWay.get(socket) ?? 0) > 0
}

/** True for addresses of this machine, which are not bounded: a proxy on it connects for all clients. */
const isThisMachine = (address: string): boolean => /^(::ffff:)?127\.|^::1$|^$/.test(address)

const first = <A>(set: ReadonlySet<A>): A | undefined => set.values().next().value

/** Sends problem details on a connection on which no request could be read, and closes it. */
export const refuseSocket = (socket: Socket, error: Error): void => {
  const problem = problemFrom(error, randomUUID())
  const body = JSON.stringify(problem)
  const headers = {
    ...problemHeaders(error),
    connection: "close",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-type": PROBLEM_CONTENT_TYPE,
    "content-length": String(Buffer.byteLength(body))
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.on("error", () => undefined)
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join("")}\r\n${body}`, () =>
    socket.destroySoon()
  )
}
