import { randomUUID } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"

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
