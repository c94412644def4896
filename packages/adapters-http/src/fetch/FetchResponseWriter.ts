import type { ResponseHeaders, ResponseWriter } from "../exchange/Exchange.ts"

/** Time for the reader of a broken response to read the written data. */
const FLUSH_MS = 5_000
/** Buffered bytes of a stream before the writer has to wait. */
const BUFFERED_BYTES = 16 * 1024

/** The status for a host whose client left before the response, as nginx uses it. */
const CLIENT_LEFT = 499
const FAILED = 500

const encoder = new TextEncoder()

/** Makes a fetch response of an answer: it is there with the answer's head, its body follows as it is written. */
export class FetchResponseWriter implements ResponseWriter {
  /** Resolves with the head of the answer. */
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

  /** The client left before the response, which has no reader. */
  leave(): void {
    if (this.#state === "unsent") this.#giveUp(CLIENT_LEFT)
  }

  #giveUp(status: number): void {
    this.#state = "over"
    this.#respond(new Response(null, { status }))
  }

  /**
   * The reader has read something, or has room. An error would discard the buffered data of the stream, so it has to
   * wait.
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
      // Connections are the host's.
      if (name === "connection") continue
      for (const each of typeof value === "string" ? [value] : value) all.append(name, each)
    }
    return all
  }
}
