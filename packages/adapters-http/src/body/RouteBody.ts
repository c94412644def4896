import type { ParleyServices } from "@parley/core/effect"
import type { Effect, Schema, Scope } from "effect"
import type { Context } from "../exchange/Exchange.ts"
import type { Coded, ErrorCode } from "../problems/problemTable.ts"

/** Reads the body of a route. */
export interface RouteBody<B, C extends ErrorCode> {
  readonly contentType:
    | "application/json"
    | "application/csp-report"
    | "application/x-www-form-urlencoded"
    | "multipart/form-data"
    | "application/octet-stream"
  readonly description: string
  /** The schema of the body in the documentation. */
  readonly schema: Schema.Top
  /** An example of the body in the documentation. */
  readonly example?: unknown
  /** Every code with which reading can fail. */
  readonly errors: ReadonlyArray<C>
  /**
   * Takes the request and the person to whom its memory is counted: the user, or the client's address if no user is
   * known. The body counts as memory until it is no longer needed, at the latest until the response.
   */
  readonly read: (context: Context, person: string) => Effect.Effect<B, Coded<C>, ParleyServices | Scope.Scope>
}
