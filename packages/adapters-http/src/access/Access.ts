import type { ParleyServices } from "@parley/core/effect"
import type { Effect, Scope } from "effect"
import type { Context } from "../exchange/Exchange.ts"
import type { Coded, ErrorCode } from "../problems/problemTable.ts"
import type { HttpOptions } from "../server/HttpOptions.ts"

/** The decoded parts of a request after its head. */
export interface RequestInput<Body> {
  readonly path: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly body: Body
}

/** The caller as far as the head proves it, and the remaining decisions. */
export interface Claim<Caller, Body, Code extends string = string> {
  /** The user, if the head proves one: used from here on by logs and by fair scheduling. */
  readonly userId: string | undefined
  /** When the session was issued that proves the user: see `SessionIssuedAt`. */
  readonly issuedAt?: number
  /** Decides before the rest of the request is read: the origin, and the number of requests. */
  readonly admit: Effect.Effect<void, Coded<Code>, ParleyServices | Scope.Scope>
  /** Returns the caller after the input is decoded; fails if only the input could prove one and does not. */
  readonly callerOf: (input: RequestInput<Body>) => Effect.Effect<Caller, Coded<Code>, ParleyServices | Scope.Scope>
}

/** The proof of callers, in the form of OpenAPI's security schemes. */
export type SecurityScheme =
  | {
      readonly type: "apiKey"
      readonly in: "cookie" | "header"
      readonly name: string
      readonly description: string
    }
  | { readonly type: "http"; readonly scheme: "bearer"; readonly description: string }

/**
 * Decides who may call a route. A route names one; `handleRoute` calls it through this interface only, so a new kind
 * of access is a new object and no other change.
 */
export interface Access<out Caller, in Body = unknown> {
  /** Its name, in the documentation too. */
  readonly name: string
  /** A sentence for the documentation that names the allowed callers. */
  readonly description: string
  /** The scope of a service key that it asks for; for the documentation. */
  readonly scope?: string
  /** Left out if callers prove nothing, or nothing that a client could be described. */
  readonly scheme?: (cookieName: string) => SecurityScheme
  /**
   * Its callers are signed-in people: by session, bearer token or the host's own sign-in, from our pages or allowed
   * origins.
   */
  readonly isPerson?: true
  /** Every code with which it refuses a request of this method. */
  readonly errors: (method: string) => ReadonlyArray<ErrorCode>
  /** True if a server with these options has its routes; default true. */
  readonly isOffered?: (options: HttpOptions<never>) => boolean
  /** The claim that the head of a request makes; its body is still unread. */
  readonly claimOf: (context: Context) => Effect.Effect<Claim<Caller, Body>, Coded, ParleyServices | Scope.Scope>
}

/** An access as it is written down. The compiler holds it to the codes it lists. */
interface AccessDefinition<Caller, Body, Code extends ErrorCode> extends Omit<
  Access<Caller, Body>,
  "claimOf" | "errors"
> {
  readonly errors: (method: string) => ReadonlyArray<Code>
  readonly claimOf: (
    context: Context
  ) => Effect.Effect<Claim<Caller, Body, NoInfer<Code>>, Coded<NoInfer<Code>>, ParleyServices | Scope.Scope>
}

/** Makes an access of its definition. */
export const defineAccess = <Caller, Body, const Code extends ErrorCode>(
  definition: AccessDefinition<Caller, Body, Code>
): Access<Caller, Body> => definition
