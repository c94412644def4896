import { Schema } from "effect"
import { Flag } from "effect/cli"

/** Why an operator does it: kept with what is done. */
export const reasonFlag = Flag.String("reason").pipe(
  Flag.withDescription("The reason, in a few words; stored in the audit log"),
  Flag.withSchema(Schema.String.check(Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,200}$/u)))
)
