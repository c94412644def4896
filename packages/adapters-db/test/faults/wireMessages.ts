/** Messages between a Postgres client and its server: a type byte, a length that counts itself, a body. */
export interface WireMessage {
  readonly type: string
  /** With type and length. */
  readonly bytes: Buffer
}

/** Cuts a stream of bytes into messages (PostgreSQL 17, chapter 53.7). A client's first message has no type. */
export class WireReader {
  #rest = Buffer.alloc(0)
  #untyped: boolean

  constructor(from: "client" | "server") {
    this.#untyped = from === "client"
  }

  /** The messages that are whole with these bytes; the start-up message has the type "". */
  read(bytes: Buffer): ReadonlyArray<WireMessage> {
    this.#rest = Buffer.concat([this.#rest, bytes])
    const messages: Array<WireMessage> = []
    for (;;) {
      const typeLength = this.#untyped ? 0 : 1
      if (this.#rest.length < typeLength + 4) return messages
      const length = typeLength + this.#rest.readInt32BE(typeLength)
      if (this.#rest.length < length) return messages
      const whole = this.#rest.subarray(0, length)
      messages.push({ type: this.#untyped ? "" : String.fromCharCode(whole[0] ?? 0), bytes: whole })
      this.#rest = this.#rest.subarray(length)
      this.#untyped = false
    }
  }
}

/** A simple query, as a client sends it. */
export const queryMessage = (text: string): Buffer => {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head.write("Q")
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** The SQL text of a request: of its simple query, or of the statement it has parsed. */
export const requestText = (request: ReadonlyArray<WireMessage>): string => {
  const message = request.find(({ type }) => type === "Q" || type === "P")
  if (message === undefined) return ""
  const parts = message.bytes.subarray(5).toString().split("\0")
  return (message.type === "Q" ? parts[0] : parts[1])?.trim() ?? ""
}
