import { Effect } from "effect"
import { defineAccess } from "./Access.ts"

/** Somebody who proves nothing. */
export interface AnyVisitor {
  /** The address the request came from, as far as trusted proxies report it; undefined where it is not known. */
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
