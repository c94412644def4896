import type { Effect, Scope } from "effect"
import type { HttpOptions } from "../environment/HttpOptions.ts"
import type { RouteServices } from "../environment/HttpServices.ts"
import type { RequestHead } from "../exchange/RequestHead.ts"
import type { Coded, ErrorCode } from "../problems/problemTable.ts"

/** What a request carries beside its head, decoded. */
export interface RequestInput<Body> {
  readonly path: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly body: Body
}

/** Who a request is from, as far as its head says, and what remains to be decided. */
export interface Claim<Caller, Body, Code extends string = string> {
  /** The user, where the head proves one: known to logs from here on, and to what shares out the server's work. */
  readonly userId: string | undefined
  /** Decides before anything else of the request is read: may it come from there, are there too many. */
  readonly admit: Effect.Effect<void, Coded<Code>, RouteServices | Scope.Scope>
  /** Gives the caller once the input is decoded. It fails where only the input proves one, and does not. */
  readonly callerOf: (input: RequestInput<Body>) => Effect.Effect<Caller, Coded<Code>, RouteServices | Scope.Scope>
}

/** How callers prove themselves, as OpenAPI's security schemes say it. */
export type SecurityScheme =
  | { readonly type: "apiKey"; readonly in: "cookie" | "header"; readonly name: string }
  | { readonly type: "http"; readonly scheme: "bearer" }

/**
 * Decides who may call a route. A route names one; `handleRoute` asks it and knows none by name, so that a new way of
 * access is a new object and nothing else.
 */
export interface Access<out Caller, in Body = unknown> {
  /** Its name, in the documentation too. */
  readonly name: string
  /** Left out where callers prove nothing, or nothing that can be described to a client. */
  readonly scheme?: (cookieName: string) => SecurityScheme
  /** Its callers are people who are signed in: by session, bearer token or the host's own way, from our pages or allowed origins. */
  readonly isPerson?: true
  /** Every code with which it refuses a request of this method. */
  readonly errors: (method: string) => ReadonlyArray<ErrorCode>
  /** Whether a server with these options has its routes at all; it has them unless given. */
  readonly isOffered?: (options: HttpOptions<never>) => boolean
  /** The claim that the head of a request makes. */
  readonly claimOf: (request: RequestHead) => Effect.Effect<Claim<Caller, Body>, Coded, RouteServices | Scope.Scope>
}

/** An access as it is written down. The compiler holds it to the codes it lists. */
interface AccessDefinition<Caller, Body, Code extends ErrorCode> extends Omit<
  Access<Caller, Body>,
  "claimOf" | "errors"
> {
  readonly errors: (method: string) => ReadonlyArray<Code>
  readonly claimOf: (
    request: RequestHead
  ) => Effect.Effect<Claim<Caller, Body, NoInfer<Code>>, Coded<NoInfer<Code>>, RouteServices | Scope.Scope>
}

/** Makes an access of its definition. */
export const defineAccess = <Caller, Body, const Code extends ErrorCode>(
  definition: AccessDefinition<Caller, Body, Code>
): Access<Caller, Body> => definition
