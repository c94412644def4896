import { Schema } from "effect"
import { Flag } from "effect/cli"

/** The flag with the destination (hook or webhook) of events. */
export const destinationFlag = Flag.String("destination").pipe(
  Flag.withDescription("Only this destination, as `parley events list` prints it, for example hook:onCharge"),
  Flag.withSchema(Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,400}$/))),
  Flag.optional
)
