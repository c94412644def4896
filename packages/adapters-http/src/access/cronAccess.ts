import { Effect } from "effect"
import { authorizeCron } from "../environment/CronSecret.ts"
import { defineAccess } from "./Access.ts"

/** A schedule that knows the secret. */
export const cronAccess = defineAccess<undefined, unknown, "cron_unauthorized" | "cron_not_configured">({
  name: "cron",
  scheme: () => ({ type: "http", scheme: "bearer" }),
  errors: () => ["cron_unauthorized", "cron_not_configured"],
  claimOf: ({ headers }) =>
    Effect.as(authorizeCron(headers.authorization), {
      userId: undefined,
      admit: Effect.void,
      callerOf: () => Effect.undefined
    })
})
