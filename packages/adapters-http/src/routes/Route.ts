import type { ParleyServices } from "@parley/core/effect"
import type { Effect, Schema, Scope } from "effect"
import type { Access } from "../access/Access.ts"
import type { RouteBody } from "../body/RouteBody.ts"
import type { Context, Response } from "../exchange/Exchange.ts"
import type { Coded, ErrorCode } from "../problems/problemTable.ts"
import type { FailureForm } from "../problems/FailureForm.ts"
import type { InvalidRequest, MethodNotAllowed } from "../problems/errors.ts"
import type { LargeWork } from "../server/Server.ts"
import type { Parameters, ParameterValues } from "./parameters.ts"

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** The content type of a body that is not JSON. */
export type BodyType =
  | "text/plain"
  | "text/event-stream"
  | "text/html"
  | "text/javascript"
  | "text/csv"
  | "application/jsonl"
  | "application/octet-stream"

/** One response of a route to a request that succeeds. */
export interface RouteResponse {
  readonly description: string
  /** The schema of the JSON body; left out if the body is empty or never JSON. */
  readonly schema?: Schema.Top
  readonly contentType?: BodyType | ReadonlyArray<BodyType>
  /** Notable headers, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>
}

/** The input of a handler, completely checked and decoded. */
export interface RouteInput<Caller, P, Q, H, B> {
  /** The caller, as the route's access proved it. */
  readonly caller: Caller
  readonly path: P
  readonly query: Q
  readonly headers: H
  readonly body: B
  readonly context: Context
}

/**
 * The origins at which a route is served if the routes for visitors have a separate origin: every origin except that
 * one (`people`), only that one (`visitors`), or all (`both`).
 */
export type RouteOrigin = "people" | "visitors" | "both"

interface RouteDeclaration {
  readonly method: Method
  /** The path, with `{name}` in the place of a parameter. */
  readonly path: string
  readonly summary: string
  /** Further sentences for the documentation. */
  readonly details?: string
  /** The origins at which the route is served if visitors have a separate origin; default `people`. */
  readonly origin?: RouteOrigin
  readonly responses: Readonly<Record<number, RouteResponse>>
  /** The form of the route's failures; default: problem details. */
  readonly failures?: FailureForm
  /** Set if requests read or write much: only a few run at a time, in a fair order of people. */
  readonly largeWork?: LargeWork
}

/**
 * The input of `defineRoute`. `errors` lists every code with which the handler can fail; the compiler refuses a handler
 * that can fail with another code.
 */
export interface RouteDefinition<
  Caller,
  P extends Parameters,
  Q extends Parameters,
  H extends Parameters,
  B,
  E extends ErrorCode
> extends RouteDeclaration {
  readonly access: Access<Caller, NoInfer<B>>
  readonly pathParameters?: P
  readonly queryParameters?: Q
  /** The parameters in the request's headers, by lower-case name. */
  readonly headerParameters?: H
  readonly body?: RouteBody<B, ErrorCode>
  readonly errors: ReadonlyArray<E>
  readonly handle: (
    input: RouteInput<NoInfer<Caller>, ParameterValues<P>, ParameterValues<Q>, ParameterValues<H>, B>
  ) => Effect.Effect<Response, Coded<NoInfer<E>>, ParleyServices | Scope.Scope>
}

/** A route of the table of all routes. */
export interface Route extends RouteDeclaration {
  /** The route's method and path, as in logs and traces: `GET /api/chats/{id}`. */
  readonly name: string
  /** The route's names in the OpenAPI document; undefined for routes outside the table of all routes. */
  readonly operation?: { readonly id: string; readonly area: string }
  readonly access: Access<unknown>
  readonly pathParameters: Parameters
  readonly queryParameters: Parameters
  readonly headerParameters: Parameters
  readonly body: RouteBody<unknown, ErrorCode> | undefined
  readonly errors: ReadonlyArray<ErrorCode>
  readonly handle: (
    input: RouteInput<unknown, unknown, unknown, unknown, unknown>
  ) => Effect.Effect<Response, Coded, ParleyServices | Scope.Scope>
}

/** Creates a route from its definition; its handler gets the checked input. */
export const defineRoute = <
  Caller,
  P extends Parameters = Record<never, never>,
  Q extends Parameters = Record<never, never>,
  H extends Parameters = Record<never, never>,
  B = undefined,
  const E extends ErrorCode = never
>(
  definition: RouteDefinition<Caller, P, Q, H, B, E>
): Route =>
  ({
    ...definition,
    name: `${definition.method} ${definition.path}`,
    pathParameters: definition.pathParameters ?? {},
    queryParameters: definition.queryParameters ?? {},
    headerParameters: definition.headerParameters ?? {},
    body: definition.body
  }) as unknown as Route

/** The route that matches a request, with the decoded parameters of the path. */
export interface RouteCall {
  readonly route: Route
  readonly path: Readonly<Record<string, string>>
}

/** The result of matching a method and a path: a route, or the reason why the request is refused. */
export type RouteMatch =
  | ({ readonly _tag: "route" } & RouteCall)
  | {
      readonly _tag: "refused"
      readonly error: InvalidRequest | MethodNotAllowed
      readonly allowed: string | undefined
      /** The routes with the same path and another method. */
      readonly others: ReadonlyArray<Route>
    }
