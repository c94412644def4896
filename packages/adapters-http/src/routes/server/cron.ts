import { ResetService } from "@parley/core/effect"
import { Effect } from "effect"
import { cronAccess } from "../../access/secretAccess.ts"
import { json } from "../../exchange/Exchange.ts"
import { named, text, whole } from "../fields.ts"
import { defineRoute } from "../Route.ts"

const ResetBody = named("CreditReset", "The result of a run.", {
  message: text("A sentence for operators."),
  resetCount: whole("The number of people whose period was begun.")
})

/** Begins all periods that are due. If a run is interrupted, the next one continues it. */
export const getResetCredits = defineRoute({
  method: "GET",
  path: "/api/cron/reset-credits",
  summary: "Begins the next month of credits for all accounts whose period is over",
  access: cronAccess,
  responses: { 200: { description: "The number of people that this call reset.", schema: ResetBody } },
  errors: ["storage_unavailable"],
  handle: Effect.fnUntraced(function* () {
    const { resetCount, busy, refused } = yield* ResetService.use((resets) => resets.run()).pipe(
      // `run` begins only periods that are due, which is never too early.
      Effect.catchTag("ResetTooEarly", Effect.die)
    )
    const later = busy === 0 ? "" : ` ${busy} were being written and are left to the next run.`
    const never = refused === 0 ? "" : ` ${refused} could not be reset: run "parley credits verify".`
    return json(200, { message: `Reset the credits of ${resetCount} people.${later}${never}`, resetCount })
  })
})
