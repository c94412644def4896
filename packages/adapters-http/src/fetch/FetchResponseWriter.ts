import type { ResponseHeaders, ResponseWriter } from "../exchange/Exchange.ts"

/** Time that the reader of a failed response has to read the data written before the stream is broken off. */
const FLUSH_MS = 5_000
/** The number of bytes that a stream buffers before the writer has to wait. */
const BUFFERED_BYTES = 16 * 1024

/** The status of a response whose client left before it began, as in nginx's logs. Only the host sees it. */
const CLIENT_LEFT = 499
const FAILED = 500

const encoder = new TextEncoder()

/** Makes a fetch `Response`: it resolves with the head of the answer, and its body follows as pieces are written. */
export class FetchResponseWriter implements ResponseWriter {
  /** Resolves when the head of the answer is known. */
  readonly response: Promise<Response>
  readonly #respond: (response: Response) => void
  readonly #isHead: boolean
  readonly #headers: ResponseHeaders
  readonly #onLeave: () => void
  #state: ResponseWriter["state"] = "unsent"
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #onDrain: (() => void) | undefined
  #isCut = false

  /** `headers` are added to every response; `onLeave` is called if the reader cancels the body. */
  constructor(request: Request, headers: ResponseHeaders, onLeave: () => void) {
    const { promise, resolve } = Promise.withResolvers<Response>()
    this.response = promise
    this.#respond = resolve
    this.#isHead = request.method === "HEAD"
    this.#headers = headers
    this.#onLeave = onLeave
  }

  get state(): ResponseWriter["state"] {
    return this.#state
  }

  send(status: number, headers: ResponseHeaders, bytes?: Uint8Array): void {
    this.#state = "over"
    const body = bytes === undefined || this.#isHead ? null : (bytes as Uint8Array<ArrayBuffer>)
    this.#respond(new Response(body, { status, headers: this.#all(headers) }))
  }

  begin(status: number, headers: ResponseHeaders): void {
    this.#state = "begun"
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#pulled(),
        cancel: () => this.#left()
      },
      { highWaterMark: BUFFERED_BYTES, size: (chunk) => chunk?.byteLength ?? 0 }
    )
    this.#respond(new Response(body, { status, headers: this.#all(headers) }))
  }

  write(piece: string | Uint8Array): boolean {
    if (this.#state !== "begun") return false
    this.#controller?.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece)
    return (this.#controller?.desiredSize ?? 0) > 0
  }

  onDrain(listener: () => void): () => void {
    this.#onDrain = listener
    if ((this.#controller?.desiredSize ?? 0) > 0) queueMicrotask(() => this.#pulled())
    return () => {
      this.#onDrain = undefined
    }
  }

  end(): void {
    if (this.#state !== "begun") return
    this.#state = "over"
    this.#controller?.close()
  }

  cut(): void {
    if (this.#state !== "begun") return
    this.#isCut = true
    const timer = setTimeout(() => this.#break(), FLUSH_MS)
    timer.unref()
    this.#pulled()
  }

  abandon(): void {
    if (this.#state === "unsent") this.#giveUp(FAILED)
    else this.#break()
  }

  /**
   * Called when the client left. A response that has not begun is answered with `CLIENT_LEFT`, because it has no
   * reader.
   */
  leave(): void {
    if (this.#state === "unsent") this.#giveUp(CLIENT_LEFT)
  }

  #giveUp(status: number): void {
    this.#state = "over"
    this.#respond(new Response(null, { status }))
  }

  /**
   * Called when the reader has read data or has room. A stream that is to be cut is broken only after all data is read,
   * because an error would discard the buffered data.
   */
  #pulled(): void {
    if (this.#isCut && (this.#controller?.desiredSize ?? 0) >= BUFFERED_BYTES) return this.#break()
    const listener = this.#onDrain
    this.#onDrain = undefined
    listener?.()
  }

  #break(): void {
    if (this.#state !== "begun") return
    this.#state = "over"
    this.#controller?.error(new Error("The answer broke off: it is not complete."))
  }

  #left(): void {
    this.#state = "over"
    this.#onLeave()
  }

  #all(headers: ResponseHeaders): Headers {
    const all = new Headers()
    for (const [name, value] of Object.entries({ ...this.#headers, ...headers })) {
      // The host manages connections, so this header is left out.
      if (name === "connection") continue
      for (const each of typeof value === "string" ? [value] : value) all.append(name, each)
    }
    return all
  }
}
