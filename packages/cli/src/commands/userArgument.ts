import { UserId } from "@parley/core"
import { Argument } from "effect/cli"

/** The person a command is about. */
export const userArgument = Argument.String("user").pipe(
  Argument.withDescription(
    "The person's id, as the identity provider names it (development sign-in: the e-mail address)"
  ),
  Argument.withSchema(UserId)
)
