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

/** Any caller, with the address it calls from: visitors of bots. No cookie is read. */
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

/** The caller of the server's state. */
export interface StatusCaller {
  /** True for a caller on this machine, who may see the operator's details. */
  readonly isHere: boolean
}

const LOOPBACK = /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/

/** Any caller, with whether they ask on this machine. */
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
