import type { ParleyServices } from "@parley/core/effect"
import type { Effect, Scope } from "effect"
import type { Context } from "../exchange/Exchange.ts"
import type { Coded, ErrorCode } from "../problems/problemTable.ts"
import type { HttpOptions } from "../server/HttpOptions.ts"

/** The parts of a request that are decoded after its caller is identified. */
export interface RequestInput<Body> {
  readonly path: unknown
  readonly query: unknown
  readonly headers: unknown
  readonly body: Body
}

/** The caller as far as the request's head proves it, with the two checks that remain. */
export interface Claim<Caller, Body, Code extends string = string> {
  /** The user, if the head proves one. Logs and fair scheduling use this id while the request is handled. */
  readonly userId: string | undefined
  /** The time at which the session that proves the user was issued: see `SessionIssuedAt`. */
  readonly issuedAt?: number
  /** Checks the origin, the rights and the number of requests of the caller before the rest of the request is read. */
  readonly admit: Effect.Effect<void, Coded<Code>, ParleyServices | Scope.Scope>
  /**
   * Returns the caller after the input is decoded. Fails if the proof has to be in the input and is missing or wrong.
   */
  readonly callerOf: (input: RequestInput<Body>) => Effect.Effect<Caller, Coded<Code>, ParleyServices | Scope.Scope>
}

/** The kind of proof that callers send, in the form of OpenAPI's security schemes. */
export type SecurityScheme =
  | {
      readonly type: "apiKey"
      readonly in: "cookie" | "header"
      readonly name: string
      readonly description: string
    }
  | { readonly type: "http"; readonly scheme: "bearer"; readonly description: string }

/**
 * Decides who may call a route. Each route names one access, and the server calls it through this interface only, so a
 * new kind of access is a new object without any other change.
 */
export interface Access<out Caller, in Body = unknown> {
  /** The name of the access, in the documentation too. */
  readonly name: string
  /** A sentence for the documentation that names the allowed callers. */
  readonly description: string
  /** The scope that a caller's service key must have; for the documentation. */
  readonly scope?: string
  /**
   * The security scheme for the documentation; left out if callers send no proof, or none that OpenAPI can describe.
   */
  readonly scheme?: (cookieName: string) => SecurityScheme
  /**
   * Set if all callers are signed-in people: by session, bearer token or the host's own sign-in, from pages of this
   * server or of allowed origins.
   */
  readonly isPerson?: true
  /** Returns every code with which the access refuses a request of this method. */
  readonly errors: (method: string) => ReadonlyArray<ErrorCode>
  /** Returns true if a server with these options has the routes with this access; default true. */
  readonly isOffered?: (options: HttpOptions<never>) => boolean
  /** Returns the claim that the head of a request makes. The body is not read yet. */
  readonly claimOf: (context: Context) => Effect.Effect<Claim<Caller, Body>, Coded, ParleyServices | Scope.Scope>
}

/** The input of `defineAccess`. The compiler refuses an access that can fail with a code missing in `errors`. */
interface AccessDefinition<Caller, Body, Code extends ErrorCode> extends Omit<
  Access<Caller, Body>,
  "claimOf" | "errors"
> {
  readonly errors: (method: string) => ReadonlyArray<Code>
  readonly claimOf: (
    context: Context
  ) => Effect.Effect<Claim<Caller, Body, NoInfer<Code>>, Coded<NoInfer<Code>>, ParleyServices | Scope.Scope>
}

/** Makes an access from its definition. */
export const defineAccess = <Caller, Body, const Code extends ErrorCode>(
  definition: AccessDefinition<Caller, Body, Code>
): Access<Caller, Body> => definition
