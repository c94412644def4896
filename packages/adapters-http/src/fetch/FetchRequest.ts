import type { IncomingHttpHeaders } from "node:http"
import { Readable } from "node:stream"
import type { ReadableStream } from "node:stream/web"
import type { Request as ParleyRequest, TakenBody, Target } from "../exchange/Exchange.ts"

const LOST: TakenBody = { _tag: "lost" }

export interface FetchRequestInput {
  readonly httpVersion: string
  readonly request: Request
  readonly id: string
  /** The path without the mount prefix, and the query. */
  readonly target: Target
  readonly prefix: string
  readonly peer: string
  /** Called if the body breaks off before its end. */
  readonly onBroken: () => void
}

/** Parley's form of a fetch `Request`. */
export class FetchRequest implements ParleyRequest {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly prefix: string
  readonly peer: string
  readonly headers: IncomingHttpHeaders
  readonly httpVersion: string
  readonly #request: Request
  readonly #onBroken: () => void
  #stream: Readable | undefined

  constructor({ httpVersion, id, onBroken, peer, prefix, request, target }: FetchRequestInput) {
    this.id = id
    this.httpVersion = httpVersion
    this.method = request.method
    this.path = target.path
    this.query = target.query
    this.prefix = prefix
    this.peer = peer
    // Some platforms remove the Host header before they call the handler. The request's address contains the same host.
    this.headers = { host: new URL(request.url).host, ...Object.fromEntries(request.headers) }
    this.#request = request
    this.#onBroken = onBroken
  }

  get source(): Request {
    return this.#request
  }

  valuesOf(header: string): ReadonlyArray<string> {
    const value = this.#request.headers.get(header)
    return value === null ? [] : [value]
  }

  takenBody(): TakenBody | undefined {
    return this.#request.bodyUsed || this.#request.body?.locked === true ? LOST : undefined
  }

  get body(): Readable {
    return (this.#stream ??= this.#open())
  }

  #open(): Readable {
    const { body } = this.#request
    if (body === null) return Readable.from([])
    return Readable.fromWeb(body as ReadableStream).on("error", this.#onBroken)
  }

  /** Stops reading the body. */
  discard(): void {
    if (this.#stream?.readableEnded === false) this.#stream.off("error", this.#onBroken).on("error", ignore).destroy()
  }
}

const ignore = () => undefined
