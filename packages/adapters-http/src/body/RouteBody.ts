import type { IncomingMessage } from "node:http"
import type { Effect, Schema, Scope } from "effect"
import type { Coded, ErrorCode } from "../problems/problemTable.ts"
import type { RouteEnvironment } from "../routes/RouteEnvironment.ts"

/** What reading a body needs to know beside the request. */
export interface BodyContext {
  readonly environment: RouteEnvironment
  /** Whose request it is: the signed-in person, or where nobody is signed in the address it came from. */
  readonly person: string
}

/** How a route reads its body. */
export interface RouteBody<B, C extends ErrorCode> {
  readonly contentType: "application/json" | "multipart/form-data"
  readonly description: string
  /** What the documentation says of it. */
  readonly schema: Schema.Top
  /** Every way reading can fail. */
  readonly errors: ReadonlyArray<C>
  /** What of the body is kept counts as memory until it is not needed any more, at the latest until there is an answer. */
  readonly read: (request: IncomingMessage, context: BodyContext) => Effect.Effect<B, Coded<C>, Scope.Scope>
}
