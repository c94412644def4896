import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"

const answer = (body: string, status = "200 OK", type = "application/json"): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`

const refusal = (...codes: ReadonlyArray<string>): string =>
  answer(JSON.stringify({ success: false, "error-codes": codes, messages: [] }))

/** Failed responses of `siteverify`, byte for byte; undefined for no response. */
const OUTAGES: Readonly<Record<string, string | undefined>> = {
  "it does not answer": undefined,
  "it breaks off": 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"success":',
  "it is no HTTP": "SSH-2.0-OpenSSH_9.2\r\n",
  "it has a fault of its own": answer("Bad gateway", "502 Bad Gateway", "text/plain"),
  "it is a page": answer("<html>Attention required</html>", "200 OK", "text/html"),
  "it says nothing": answer("{}"),
  "it is null": answer("null"),
  "it has no end": answer(`{"success": true, "messages": ["${"x".repeat(100_000)}"]}`),
  "it leads elsewhere": "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n",
  "it knows of a failure": refusal("internal-error"),
  "it refuses the secret": refusal("invalid-input-secret"),
  "success is no truth value": answer(JSON.stringify({ success: "true" }))
}

export const OUTAGE_NAMES = Object.keys(OUTAGES)

/** The content of one request. */
export interface VerifyRequest {
  readonly head: string
  readonly form: URLSearchParams
}

/** A stand-in for Turnstile's `siteverify`, on bare connections: each token is right once. */
export class SiteVerify implements AsyncDisposable {
  readonly requests: Array<VerifyRequest> = []
  outage: string | undefined
  readonly #secret: string
  readonly #solved = new Set<string>()
  readonly #sockets = new Set<Socket>()
  readonly #server: Server

  private constructor(secret: string) {
    this.#secret = secret
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.on("error", () => undefined)
      let text = ""
      socket.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk
        const end = text.indexOf("\r\n\r\n")
        const length = Number(/^content-length: *(\d+)/im.exec(text)?.[1] ?? 0)
        if (end < 0 || Buffer.byteLength(text.slice(end + 4)) < length) return
        this.#answer(socket, { head: text.slice(0, end), form: new URLSearchParams(text.slice(end + 4)) })
        text = ""
      })
    })
  }

  static async start(secret: string): Promise<SiteVerify> {
    const made = new SiteVerify(secret)
    made.#server.listen(0, "127.0.0.1")
    await once(made.#server, "listening")
    return made
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/turnstile/v0/siteverify`
  }

  solve(): string {
    const token = `0.${randomUUID()}`
    this.#solved.add(token)
    return token
  }

  #answer(socket: Socket, request: VerifyRequest): void {
    this.requests.push(request)
    if (this.outage !== undefined) {
      const bytes = OUTAGES[this.outage]
      if (bytes !== undefined) socket.end(bytes)
      return
    }
    const { form } = request
    if (form.get("secret") !== this.#secret) return void socket.end(refusal("invalid-input-secret"))
    if (!this.#solved.delete(form.get("response") ?? "")) {
      return void socket.end(refusal("timeout-or-duplicate"))
    }
    const body = { success: true, "error-codes": [], challenge_ts: new Date().toISOString(), hostname: "localhost" }
    socket.end(answer(JSON.stringify(body)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, "close")
  }
}
