import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { malwareTestText } from "@parley/core/adapter"

const PING = "zPING\0"
const INSTREAM = "zINSTREAM\0"

/** Speaks clamd's protocol (clamd(8), "COMMANDS") as far as Parley does, and finds the text that every scanner reports. */
export class ClamdStandIn implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(streamMaxLength: number) {
    this.#server = createServer((socket) => {
      let received = Buffer.alloc(0)
      this.#sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("data", (piece: Buffer) => {
        received = Buffer.concat([received, piece])
        const answer = answerTo(received, streamMaxLength)
        if (answer !== undefined) socket.end(`${answer}\0`)
      })
    })
  }

  /** It reads files of `streamMaxLength` bytes at most. */
  static async start(streamMaxLength: number): Promise<ClamdStandIn> {
    const clamd = new ClamdStandIn(streamMaxLength)
    await new Promise<void>((resolve) => clamd.#server.listen(0, "127.0.0.1", resolve))
    return clamd
  }

  get url(): string {
    return `tcp://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** Undefined until all is there. */
const answerTo = (received: Buffer, streamMaxLength: number): string | undefined => {
  const text = received.toString("latin1")
  if (text === PING) return "PONG"
  if (!text.startsWith(INSTREAM)) return undefined
  let file = ""
  for (let at = INSTREAM.length; at + 4 <= received.byteLength;) {
    const length = received.readUInt32BE(at)
    if (length === 0) return file.includes(malwareTestText()) ? "stream: Eicar-Test FOUND" : "stream: OK"
    if (file.length + length > streamMaxLength) return "INSTREAM size limit exceeded. ERROR"
    file += text.slice(at + 4, at + 4 + length)
    at += 4 + length
  }
  return undefined
}
