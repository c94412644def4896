import { userInfo } from "node:os"
import { Schema } from "effect"
import { Flag } from "effect/cli"

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
