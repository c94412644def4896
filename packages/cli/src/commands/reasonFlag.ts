import { Schema } from "effect"
import { Flag } from "effect/cli"

/** The operator's reason, stored in the audit log. */
export const reasonFlag = Flag.String("reason").pipe(
  Flag.withDescription("The reason, in a few words; stored in the audit log"),
  Flag.withSchema(Schema.String.check(Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,200}$/u)))
)
