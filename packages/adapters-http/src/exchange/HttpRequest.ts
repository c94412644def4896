import type { Readable } from "node:stream"
import type { TakenBody } from "../body/TakenBody.ts"
import type { RequestHead } from "./RequestHead.ts"

/** The body of a request as it comes in. */
export interface IncomingBody {
  /** The rest of the body after another parser; undefined if it is unread. */
  taken(): TakenBody | undefined
  /** Its bytes, read by one reader. */
  readonly stream: Readable
}

/** A request, independent of the kind of server: the common part of Node's, Express' and fetch's. */
export interface HttpRequest extends RequestHead {
  /** Under which it is logged; sent back as `x-request-id`. */
  readonly id: string
  /** Without the mount prefix, still encoded, without the query. */
  readonly path: string
  /** Without its question mark. */
  readonly query: string
  /** The path under which the routes are mounted, without a slash at its end; empty at the root. */
  readonly prefix: string
  /** The values of a header by its lower-case name, each as it was sent. */
  valuesOf(header: string): ReadonlyArray<string>
  readonly body: IncomingBody
}
