import { randomUUID } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"
import { Effect, Stream } from "effect"
import { type FailureForm, problemDetails } from "../problems/FailureForm.ts"
import type { Problem } from "../problems/Problem.ts"
import type { Coded } from "../problems/problemTable.ts"
import type { Server } from "../server/Server.ts"

/** The rest of a body after another parser: its bytes, its parsed value, or nothing usable. */
export type TakenBody =
  | { readonly _tag: "bytes"; readonly bytes: Buffer }
  | { readonly _tag: "value"; readonly value: unknown }
  | { readonly _tag: "lost" }

/** A request, independent of the kind of server: the common part of Node's, Express' and fetch's. */
export interface Request {
  /** Under which it is logged; sent back as `x-request-id`. */
  readonly id: string
  readonly method: string
  /** By lower-case name. */
  readonly headers: IncomingHttpHeaders
  /** The values of a header by its lower-case name, each as it was sent. */
  valuesOf(header: string): ReadonlyArray<string>
  /** `1.0` or `1.1`. */
  readonly httpVersion: string
  /** Without the mount prefix, still encoded, without the query. */
  readonly path: string
  /** Without its question mark. */
  readonly query: string
  /** The path under which the routes are mounted, without a slash at its end; empty at the root. */
  readonly prefix: string
  /** The address the request came from, as far as trusted proxies report it. */
  readonly peer: string
  /** The host's own request: Node's or Express', or that of fetch. For the host's own sign-in. */
  readonly source: unknown
  /** The rest of the body after another parser; undefined if it is unread. */
  takenBody(): TakenBody | undefined
  /** The bytes of the body, read by one reader. */
  readonly body: Readable
}

/** The header that carries a request's id, both ways. */
export const REQUEST_ID = "x-request-id"
const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,128}$/

/** The id of a request in logs: the client's `x-request-id` if it is a plain word, otherwise a new one. */
export const requestIdFrom = (sent: unknown): string =>
  typeof sent === "string" && ACCEPTABLE.test(sent) ? sent : randomUUID()

/** The target of a request. */
export interface Target {
  /** Still encoded. */
  readonly path: string
  /** Without its question mark. */
  readonly query: string
}

/** Takes the target of a request line (RFC 9112, 3.2): a path with a query, or a whole address as a proxy is sent. */
export const targetOf = (sent: string): Target => {
  const target = sent.startsWith("/") ? sent : pathOf(sent)
  const mark = target.indexOf("?")
  return mark < 0 ? { path: target, query: "" } : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

const pathOf = (address: string): string => {
  const url = URL.parse(address)
  return url === null ? "" : url.pathname + url.search
}

/** Normalises a configured mount prefix: removes a trailing slash. Throws if it is not an absolute path. */
export const prefixFrom = (configured: string | undefined): string => {
  const prefix = (configured ?? "").replace(/\/+$/, "")
  if (prefix !== "" && !/^(?:\/[\w.~!$&'()*+,=:@%-]+)+$/.test(prefix)) {
    throw new TypeError(`The prefix ${JSON.stringify(configured)} is not a path like "/api-root".`)
  }
  return prefix
}

/** A target below a prefix, without it; undefined if it is not below. */
export const below = ({ path, query }: Target, prefix: string): Target | undefined => {
  if (prefix === "") return { path, query }
  if (!path.startsWith(prefix)) return undefined
  const rest = path.slice(prefix.length)
  return rest === "" || rest.startsWith("/") ? { path: rest === "" ? "/" : rest, query } : undefined
}

/** Header names in lower case. An array sends the header once per element: an empty one removes a default header. */
export type ResponseHeaders = Readonly<Record<string, string | ReadonlyArray<string>>>

/** The response of a route. The status line of a stream is sent with its first piece. */
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
 * The writer of the response to one request: either whole (`send`), or begun, written piece by piece and ended.
 *
 * - `unsent`: nothing was sent.
 * - `begun`: the head was sent, and maybe a part of the body.
 * - `over`: the response is complete, or its reader has left.
 */
export interface ResponseWriter {
  readonly state: "unsent" | "begun" | "over"
  /** A whole response; without bytes it has no body. */
  send(status: number, headers: ResponseHeaders, bytes?: Uint8Array): void
  begin(status: number, headers: ResponseHeaders): void
  /** Returns false if the reader is behind: then the caller waits until `onDrain` calls. */
  write(piece: string | Uint8Array): boolean
  /** Calls once, when the reader has caught up; returns a function that removes the listener. */
  onDrain(listener: () => void): () => void
  end(): void
  /** Breaks off a begun response after the written data is sent, so that its reader sees that it is incomplete. */
  cut(): void
  /** Disconnects the reader at once. */
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

/** True if a response is complete. */
export const isWhole = (response: Response): response is WholeResponse =>
  response.body === undefined || response.body instanceof Uint8Array

/** Sends a problem with the status that it names; as problem details, unless another form is given. */
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
 * Writes a response. A stream is written as its pieces come, in batches: the status line with the first batch, and the
 * end after the stream has finished, including its settlement. While the reader is behind, nothing is taken from the
 * stream. Fails with the stream's error, without ending or breaking the response. A reader that reads nothing for
 * `stalledReaderMs` is disconnected, and the work interrupted.
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
    // All of a batch are texts, or all are bytes.
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

/**
 * Waits until the reader has caught up. A reader that has left never does: then the fiber is interrupted from outside.
 */
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
 * The path under which people see the routes, empty for the root: the path of the base URL if it has one, even if a
 * proxy changes it; otherwise the mount prefix.
 */
export const publicPathOf = ({ request: { prefix }, server: { address } }: Context): string => {
  const path = address?.pathname.replace(/\/+$/, "") ?? ""
  return path === "" ? prefix : path
}
