import type { IncomingMessage } from "node:http"
import type { Effect, Schema } from "effect"
import type { Coded, ErrorCode } from "../problems/problemTable.ts"

/** How a route reads its body. */
export interface RouteBody<B, C extends ErrorCode> {
  readonly contentType: "application/json" | "multipart/form-data"
  readonly description: string
  /** What the documentation says of it. */
  readonly schema: Schema.Top
  /** Every way reading can fail. */
  readonly errors: ReadonlyArray<C>
  readonly read: (request: IncomingMessage) => Effect.Effect<B, Coded<C>>
}
