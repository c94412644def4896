import { userInfo } from "node:os"
import { UserId } from "@parley/core"
import { Schema } from "effect"
import { Argument, Flag } from "effect/cli"

/** The operating system's user; a system may have no name for it. */
const systemUser = (): string => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`
  }
}

/** The operator's name for the audit log. */
export const byFlag = Flag.String("by").pipe(
  Flag.withDescription("The operator's name for the audit log; default: the operating system's user"),
  Flag.withSchema(Schema.String.check(Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,100}$/u))),
  Flag.withDefault(systemUser())
)

/** The operator's reason, stored in the audit log. */
export const reasonFlag = Flag.String("reason").pipe(
  Flag.withDescription("The reason, in a few words; stored in the audit log"),
  Flag.withSchema(Schema.String.check(Schema.isPattern(/^[^\p{Cc}\p{Cs}]{1,200}$/u)))
)

/** The person a command is about. */
export const userArgument = Argument.String("user").pipe(
  Argument.withDescription(
    "The person's id, as the identity provider names it (development sign-in: the e-mail address)"
  ),
  Argument.withSchema(UserId)
)
