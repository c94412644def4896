import type { Effect, Schema, Scope } from "effect"
import type { HttpRequest } from "../exchange/HttpRequest.ts"
import type { Coded, ErrorCode } from "../problems/problemTable.ts"
import type { BodyIntake } from "../environment/BodyIntake.ts"

/** How a route reads its body. */
export interface RouteBody<B, C extends ErrorCode> {
  readonly contentType: "application/json" | "multipart/form-data" | "application/octet-stream"
  readonly description: string
  /** What the documentation says of it. */
  readonly schema: Schema.Top
  /** Every way reading can fail. */
  readonly errors: ReadonlyArray<C>
  /**
   * Takes the request and whose it is: the user, or where none is known the address it came from. What is kept of the
   * body counts as memory until it is not needed any more, at the latest until there is an answer.
   */
  readonly read: (request: HttpRequest, person: string) => Effect.Effect<B, Coded<C>, BodyIntake | Scope.Scope>
}
