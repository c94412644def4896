import { randomUUID } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"
import { Effect, Stream } from "effect"
import { type FailureForm, problemDetails } from "../problems/FailureForm.ts"
import type { Problem } from "../problems/Problem.ts"
import type { Coded } from "../problems/problemTable.ts"
import type { Server } from "../server/Server.ts"

/** The content of a body that another parser has read: its bytes, its parsed value, or nothing usable. */
export type TakenBody =
  | { readonly _tag: "bytes"; readonly bytes: Buffer }
  | { readonly _tag: "value"; readonly value: unknown }
  | { readonly _tag: "lost" }

/** A request, independent of the server library: the common part of Node's, Express' and fetch's requests. */
export interface Request {
  /** The id of the request in logs; sent back as `x-request-id`. */
  readonly id: string
  readonly method: string
  /** The headers by lower-case name. */
  readonly headers: IncomingHttpHeaders
  /** Returns the values of a header by its lower-case name, one for each time that it was sent. */
  valuesOf(header: string): ReadonlyArray<string>
  /** The HTTP version, for example `1.0` or `1.1`. */
  readonly httpVersion: string
  /** The path, still encoded, without the mount prefix and the query. */
  readonly path: string
  /** The query without its question mark. */
  readonly query: string
  /** The path under which the routes are mounted, without a slash at its end; empty at the root. */
  readonly prefix: string
  /** The address the request came from, as far as trusted proxies report it. */
  readonly peer: string
  /** The host's own request object, for its own sign-in: Node's, Express' or fetch's. */
  readonly source: unknown
  /** Returns the content of the body if another parser has read it; undefined if the body is unread. */
  takenBody(): TakenBody | undefined
  /** The bytes of the body, which only one reader may read. */
  readonly body: Readable
}

/** The header with a request's id, in requests and in responses. */
export const REQUEST_ID = "x-request-id"
const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/

/**
 * Returns the id of a request for logs: the client's `x-request-id` if it has only plain characters, otherwise a new
 * id.
 */
export const requestIdFrom = (sent: unknown): string =>
  typeof sent === "string" && ACCEPTABLE.test(sent) ? sent : randomUUID()

/** The path and the query of a request. */
export interface Target {
  /** The path, still encoded. */
  readonly path: string
  /** The query without its question mark. */
  readonly query: string
}

/**
 * Parses the target of a request line (RFC 9112, 3.2): a path with a query, or the absolute address that clients send
 * to a proxy.
 */
export const targetOf = (sent: string): Target => {
  const target = sent.startsWith("/") ? sent : pathOf(sent)
  const mark = target.indexOf("?")
  return mark < 0 ? { path: target, query: "" } : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

const pathOf = (address: string): string => {
  const url = URL.parse(address)
  return url === null ? "" : url.pathname + url.search
}

/** Normalises the configured mount prefix: removes a trailing slash. Throws if the prefix is not an absolute path. */
export const prefixFrom = (configured: string | undefined): string => {
  const prefix = (configured ?? "").replace(/\/+$/, "")
  if (prefix !== "" && !/^(?:\/[\w.~!$&'()*+,=:@%-]+)+$/.test(prefix)) {
    throw new TypeError(`The prefix ${JSON.stringify(configured)} is not a path like "/api-root".`)
  }
  return prefix
}

/** Removes the prefix from a target; returns undefined if the target's path is not below the prefix. */
export const below = ({ path, query }: Target, prefix: string): Target | undefined => {
  if (prefix === "") return { path, query }
  if (!path.startsWith(prefix)) return undefined
  const rest = path.slice(prefix.length)
  return rest === "" || rest.startsWith("/") ? { path: rest === "" ? "/" : rest, query } : undefined
}

/**
 * Headers by lower-case name. A header with an array is sent once per element; an empty array removes a default header.
 */
export type ResponseHeaders = Readonly<Record<string, string | ReadonlyArray<string>>>

/** The response of a route. If its body is a stream, the status line is sent with the first piece. */
export interface Response {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: Uint8Array | Stream.Stream<string, Coded> | Stream.Stream<Uint8Array, Coded> | undefined
}

/** A response with `body` as JSON. */
export const json = (status: number, body: unknown, headers: ResponseHeaders = {}): Response => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: Buffer.from(JSON.stringify(body))
})

/** A response without a body; default status 204. */
export const empty = (headers: ResponseHeaders = {}, status = 204): Response => ({ status, headers, body: undefined })

/** A response with a complete body. */
export const wholeBytes = (bytes: Uint8Array, headers: ResponseHeaders): Response => ({
  status: 200,
  headers,
  body: bytes
})

/** A response whose body is written while `pieces` runs; default status 200. */
export const streamed = (
  pieces: Stream.Stream<string, Coded> | Stream.Stream<Uint8Array, Coded>,
  headers: ResponseHeaders = {},
  status = 200
): Response => ({ status, headers, body: pieces })

/**
 * Writes the response to one request, either whole (`send`), or piece by piece (`begin`, `write`, `end`). Its state:
 *
 * - `unsent`: nothing was sent.
 * - `begun`: the head was sent, and maybe a part of the body.
 * - `over`: the response is complete, or its reader has left.
 */
export interface ResponseWriter {
  readonly state: "unsent" | "begun" | "over"
  /** Sends a whole response; without `bytes` the response has no body. */
  send(status: number, headers: ResponseHeaders, bytes?: Uint8Array): void
  begin(status: number, headers: ResponseHeaders): void
  /**
   * Writes a piece of the body. Returns false if the reader is behind: the caller then has to wait until `onDrain`
   * calls.
   */
  write(piece: string | Uint8Array): boolean
  /** Calls `listener` once, when the reader has caught up. Returns a function that removes the listener. */
  onDrain(listener: () => void): () => void
  end(): void
  /** Breaks the connection after the written data is sent, so that the reader sees that the response is incomplete. */
  cut(): void
  /** Breaks the connection at once. */
  abandon(): void
}

const PLAIN = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** Sends a response that is complete. */
export const sendResponse = (writer: ResponseWriter, { body, headers, status }: WholeResponse): void =>
  body === undefined
    ? writer.send(status, { ...PLAIN, ...headers })
    : writer.send(status, { ...PLAIN, "content-length": String(body.byteLength), ...headers }, body)

interface WholeResponse extends Response {
  readonly body: Uint8Array | undefined
}

/** True if a response has a complete body and no stream. */
export const isWhole = (response: Response): response is WholeResponse =>
  response.body === undefined || response.body instanceof Uint8Array

/** Sends a problem with its own status, as problem details unless another form is given. */
export const sendProblem = (
  writer: ResponseWriter,
  problem: Problem,
  headers: ResponseHeaders = {},
  form: FailureForm = problemDetails
): void => {
  const body = Buffer.from(JSON.stringify(form.bodyOf(problem)))
  const ofForm = { "content-type": form.contentType, ...form.headersOf(problem) }
  sendResponse(writer, { status: problem.status, headers: { ...ofForm, ...headers }, body })
}

/**
 * Writes a response. A stream is written in batches as its pieces come: the status line with the first batch, and the
 * end after the stream has finished, including the settlement of its hold. While the reader is behind, no more pieces
 * are taken from the stream. Fails with the stream's error, and leaves it to the caller to cut the response. A reader
 * that reads nothing for `stalledReaderMs` is disconnected, and the work is interrupted.
 */
export const writeResponse = (
  writer: ResponseWriter,
  response: Response,
  stalledReaderMs: number
): Effect.Effect<void, Coded> => {
  if (isWhole(response)) return Effect.sync(() => sendResponse(writer, response))
  const { headers, status } = response
  const begin = () => {
    if (writer.state === "unsent") writer.begin(status, { ...PLAIN, ...headers })
  }
  const write = (batch: ReadonlyArray<string | Uint8Array>) => {
    begin()
    // The pieces of a batch are either all texts or all bytes.
    const piece = typeof batch[0] === "string" ? batch.join("") : Buffer.concat(batch as ReadonlyArray<Uint8Array>)
    return writer.write(piece) ? Effect.void : drained(writer, stalledReaderMs)
  }
  const end = Effect.sync(() => {
    begin()
    writer.end()
  })
  const pieces = response.body as Stream.Stream<string | Uint8Array, Coded>
  return Effect.andThen(Stream.runForEachArray(pieces, write), end)
}

/** Waits until the reader has caught up. If the reader has left, the fiber is interrupted from outside. */
const drained = (writer: ResponseWriter, withinMs: number): Effect.Effect<void> => {
  const giveUp = Effect.andThen(
    Effect.sync(() => writer.abandon()),
    Effect.interrupt
  )
  return Effect.callback<void>((resume) => {
    const stop = writer.onDrain(() => resume(Effect.void))
    return Effect.sync(stop)
  }).pipe(Effect.timeoutOrElse({ duration: withinMs, orElse: () => giveUp }))
}

/** A request, and the server that answers it. */
export interface Context {
  readonly request: Request
  readonly server: Server
}

/**
 * The path of the routes as people see it, empty for the root: the path of the base URL if there is one, even if a
 * proxy changes it on the way; otherwise the mount prefix.
 */
export const publicPathOf = ({ request: { prefix }, server: { address } }: Context): string => {
  const path = address?.pathname.replace(/\/+$/, "") ?? ""
  return path === "" ? prefix : path
}
