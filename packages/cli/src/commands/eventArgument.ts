import { Schema } from "effect"
import { Argument } from "effect/cli"

/** The event a command is about. */
export const eventArgument = Argument.String("event").pipe(
  Argument.withDescription("The event's id at the payment provider, for example evt_1AbC"),
  Argument.withSchema(Schema.String.check(Schema.isPattern(/^[\x21-\x7e]{1,255}$/)))
)
