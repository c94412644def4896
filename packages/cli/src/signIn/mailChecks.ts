import type { MailFailed } from "@parley/core/adapter"
import { Effect } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { exitCodes } from "../exitCodes.ts"
import { mailServer } from "./mailer.ts"
import { type Check, failed, note, ok } from "../doctor/Check.ts"

const NAME = "mails"

const ADVICE: Readonly<Record<MailFailed["reason"], string>> = {
  unreachable: "Check host, port and smtp:// or smtps:// in PARLEY_SMTP_URL, and that the mail server can be reached.",
  timeout: "Check host and port in PARLEY_SMTP_URL: many networks block port 25; use 587 or 465.",
  login: "Check user and password in PARLEY_SMTP_URL; write special characters as %40 and so on.",
  refused: "Ask the operator of the mail server why it refuses this server.",
  not_installed: "Run: npm install nodemailer"
}

/** Checks that the mail server accepts the login, without sending a mail; empty if no mails are sent. */
export const mailChecks = (config: ParleyConfig): Effect.Effect<ReadonlyArray<Check>> => {
  if (config.mail === undefined) return Effect.succeed([])
  const server = mailServer(config)
  if (server === undefined) {
    const printed = note(NAME, "printed by the server instead of sent", "Set PARLEY_SMTP_URL to your mail server.")
    return Effect.succeed([printed])
  }
  return server.check.pipe(
    Effect.map(() => [ok(NAME, "the mail server accepts the login")]),
    Effect.catchTag("MailFailed", ({ message, reason }) => {
      const exit = reason === "login" || reason === "not_installed" ? exitCodes.configuration : exitCodes.unavailable
      return Effect.succeed([failed(NAME, exit, message, ADVICE[reason])])
    })
  )
}
