import { userInfo } from "node:os"
import { UserId } from "@parley/core"
import { Schema } from "effect"
import { Argument, Flag } from "effect/cli"

/** The name of the operating system's user; empty if the system has no name for the user. */
const systemUser = (): string => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}

/** The flag with the operator's name for the audit log. */
export const byFlag = Flag.String("by").pipe(
  Flag.withDescription("The operator's name for the audit log; default: the operating system's user"),
  Flag.withSchema(Schema.String.check(Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,100}$/u))),
  Flag.withDefault(systemUser())
)

/** The flag with the operator's reason, which is stored in the audit log. */
export const reasonFlag = Flag.String("reason").pipe(
  Flag.withDescription("The reason, in a few words; stored in the audit log"),
  Flag.withSchema(Schema.String.check(Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,200}$/u)))
)

/** The argument with the id of a person. */
export const userArgument = Argument.String("user").pipe(
  Argument.withDescription(
    "The person's id, as the identity provider names it (development sign-in: the e-mail address)"
  ),
  Argument.withSchema(UserId)
)
