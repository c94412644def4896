import { Effect } from "effect"
import { defineAccess } from "./Access.ts"

/** An anonymous caller. */
export interface AnyVisitor {
  /** The client's address, as reported by trusted proxies; undefined if it is unknown. */
  readonly address: string | undefined
}

/** Any caller, with the address it calls from: visitors of bots. No cookie is read. */
export const visitorAccess = defineAccess<AnyVisitor, unknown, never>({
  name: "visitor",
  errors: () => [],
  claimOf: ({ peer }) =>
    Effect.succeed({
      userId: undefined,
      admit: Effect.void,
      callerOf: () => Effect.succeed({ address: peer === "" ? undefined : peer })
    })
})
