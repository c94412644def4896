import { Effect } from "effect"
import type { RequestHead } from "../exchange/RequestHead.ts"
import { defineAccess } from "./Access.ts"
import { isLocalRequest } from "./isLocalRequest.ts"
import { publicAccess } from "./publicAccess.ts"

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
  claimOf: (head: RequestHead) =>
    Effect.succeed({
      userId: undefined,
      admit: Effect.void,
      callerOf: () => Effect.succeed({ isHere: LOOPBACK.test(head.peer) && isLocalRequest(head) })
    })
})
