import { Effect } from "effect"
import { defineAccess } from "./Access.ts"
import { isLocalRequest } from "./isLocalRequest.ts"

/** Any caller. */
export const publicAccess = defineAccess<undefined, unknown, never>({
  name: "public",
  description: "Any client may call.",
  errors: () => [],
  claimOf: () => Effect.succeed({ userId: undefined, admit: Effect.void, callerOf: () => Effect.undefined })
})

/** An anonymous caller. */
export interface AnyVisitor {
  /** The client's address, as reported by trusted proxies; undefined if it is unknown. */
  readonly address: string | undefined
}

/** Admits any caller, and passes its address on: for visitors of bots. Cookies are not read. */
export const visitorAccess = defineAccess<AnyVisitor, unknown, never>({
  name: "visitor",
  description: "Any client may call; the public key in the request names the bot.",
  errors: () => [],
  claimOf: ({ request: { peer } }) =>
    Effect.succeed({
      userId: undefined,
      admit: Effect.void,
      callerOf: () => Effect.succeed({ address: peer === "" ? undefined : peer })
    })
})

/** The caller of the routes that report the server's state. */
export interface StatusCaller {
  /** True for a caller on this machine, who may see details meant for the operator. */
  readonly isHere: boolean
}

const LOOPBACK = /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/

/** Admits any caller, and notes whether the request comes from this machine. */
export const statusAccess = defineAccess<StatusCaller, unknown, never>({
  ...publicAccess,
  errors: () => [],
  claimOf: ({ request }) =>
    Effect.succeed({
      userId: undefined,
      admit: Effect.void,
      callerOf: () => Effect.succeed({ isHere: LOOPBACK.test(request.peer) && isLocalRequest(request) })
    })
})
