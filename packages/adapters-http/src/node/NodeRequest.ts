import type { IncomingHttpHeaders, IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import type { TakenBody } from "../body/TakenBody.ts"
import type { HttpRequest, IncomingBody } from "../exchange/HttpRequest.ts"
import type { Target } from "../exchange/target.ts"
import { alreadyReadBody } from "./alreadyReadBody.ts"

export interface NodeRequestInput {
  readonly message: IncomingMessage
  readonly id: string
  /** Below the prefix. */
  readonly target: Target
  readonly prefix: string
  /** Returns the client's address; called only if it is needed. */
  readonly peerOf: () => string
}

/** A request of Node's HTTP server. */
export class NodeRequest implements HttpRequest, IncomingBody {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly query: string
  readonly prefix: string
  readonly #message: IncomingMessage
  readonly #peerOf: () => string

  constructor({ id, message, peerOf, prefix, target }: NodeRequestInput) {
    this.id = id
    this.method = message.method ?? "GET"
    this.path = target.path
    this.query = target.query
    this.prefix = prefix
    this.#message = message
    this.#peerOf = peerOf
  }

  get headers(): IncomingHttpHeaders {
    return this.#message.headers
  }

  get httpVersion(): string {
    return this.#message.httpVersion
  }

  get source(): IncomingMessage {
    return this.#message
  }

  get peer(): string {
    return this.#peerOf()
  }

  valuesOf(header: string): ReadonlyArray<string> {
    // Node makes the list of all values for all headers at the first look.
    return this.#message.headers[header] === undefined ? [] : (this.#message.headersDistinct[header] ?? [])
  }

  get body(): IncomingBody {
    return this
  }

  taken(): TakenBody | undefined {
    return alreadyReadBody(this.#message)
  }

  get stream(): Readable {
    return this.#message
  }
}
