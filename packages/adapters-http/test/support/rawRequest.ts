import { connect, type Socket } from "node:net"

/** A bare TCP connection to the server, for what a fetch cannot do. */
export interface RawConnection {
  readonly socket: Socket
  /** Everything received so far. */
  received(): string
  /** Resolves once what was received contains `text`; rejects where the connection closes before. */
  until(text: string): Promise<void>
  /** Resolves once the connection is closed; tells whether it was reset. */
  readonly closed: Promise<{ readonly reset: boolean }>
}

export const openRaw = async (port: number): Promise<RawConnection> => {
  const socket = connect({ host: "127.0.0.1", port })
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject))
  let received = ""
  let reset = false
  const waiting = new Set<() => void>()
  const tell = () => waiting.forEach((check) => check())
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1")
    tell()
  })
  socket.on("error", () => {
    reset = true
  })
  let isClosed = false
  const closed = new Promise<{ readonly reset: boolean }>((resolve) =>
    socket.once("close", () => {
      isClosed = true
      resolve({ reset })
      tell()
    })
  )
  const until = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!received.includes(text) && !isClosed) return
        waiting.delete(check)
        if (received.includes(text)) resolve()
        else reject(new Error(`The connection closed; received: ${received}`))
      }
      waiting.add(check)
      check()
    })
  return { socket, received: () => received, until, closed }
}

/** The text of a request with a body. */
export const rawPost = (path: string, headers: Readonly<Record<string, string>>, body: string): string => {
  const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}`)
  const length = "content-length" in headers ? [] : [`content-length: ${Buffer.byteLength(body)}`]
  return [`POST ${path} HTTP/1.1`, ...lines, ...length, "", body].join("\r\n")
}
