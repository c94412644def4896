import { connect, type Socket } from "node:net"

/** A bare TCP connection to the server, for requests that fetch cannot send. */
export interface RawConnection {
  readonly socket: Socket
  /** Everything received so far. */
  received(): string
  /** Resolves when the received data contains `text`; rejects if the connection closes before. */
  until(text: string): Promise<void>
  /** Resolves when the connection is closed; reports if it was reset. */
  readonly closed: Promise<{ readonly reset: boolean }>
}

export const openRaw = async (port: number): Promise<RawConnection> => {
  const socket = connect({ host: "127.0.0.1", port })
  await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject))
  const chunks: Array<string> = []
  let state: "open" | "closed" | "reset" = "open"
  const waiting = new Set<(chunk: string) => void>()
  const tell = (chunk: string) => waiting.forEach((check) => check(chunk))
  socket.on("data", (bytes) => {
    const chunk = bytes.toString("latin1")
    chunks.push(chunk)
    tell(chunk)
  })
  socket.on("error", () => {
    state = "reset"
  })
  const closed = new Promise<{ readonly reset: boolean }>((resolve) =>
    socket.once("close", () => {
      if (state === "open") state = "closed"
      resolve({ reset: state === "reset" })
      tell("")
    })
  )
  const until = (text: string) =>
    new Promise<void>((resolve, reject) => {
      // The end of the received data, in which the text may have begun.
      let end = ""
      const check = (chunk: string) => {
        end += chunk
        const found = end.includes(text)
        end = end.slice(-text.length)
        if (!found && state === "open") return
        waiting.delete(check)
        if (found) resolve()
        else reject(new Error(`The connection closed; received: ${chunks.join("").slice(0, 2_000)}`))
      }
      waiting.add(check)
      check(chunks.join(""))
    })
  return { socket, received: () => chunks.join(""), until, closed }
}

/** The text of a request with a body. */
export const rawPost = (path: string, headers: Readonly<Record<string, string>>, body: string): string => {
  const lines = Object.entries({ host: "127.0.0.1", ...headers }).map(([name, value]) => `${name}: ${value}`)
  const length = "content-length" in headers ? [] : [`content-length: ${Buffer.byteLength(body)}`]
  return [`POST ${path} HTTP/1.1`, ...lines, ...length, "", body].join("\r\n")
}
