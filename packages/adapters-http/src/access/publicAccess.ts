import { Effect } from "effect"
import { defineAccess } from "./Access.ts"

/** Any caller. */
export const publicAccess = defineAccess<undefined, unknown, never>({
  name: "public",
  errors: () => [],
  claimOf: () => Effect.succeed({ userId: undefined, admit: Effect.void, callerOf: () => Effect.undefined })
})
