import type { IncomingMessage } from "node:http"
import type { Effect, Schema, Scope } from "effect"
import type { Coded, ErrorCode } from "../problems/problemTable.ts"
import type { RouteEnvironment } from "../routes/RouteEnvironment.ts"

/** How a route reads its body. */
export interface RouteBody<B, C extends ErrorCode> {
  readonly contentType: "application/json" | "multipart/form-data"
  readonly description: string
  /** What the documentation says of it. */
  readonly schema: Schema.Top
  /** Every way reading can fail. */
  readonly errors: ReadonlyArray<C>
  /** What it reserves for the body is given back when the request is done. */
  readonly read: (request: IncomingMessage, environment: RouteEnvironment) => Effect.Effect<B, Coded<C>, Scope.Scope>
}
