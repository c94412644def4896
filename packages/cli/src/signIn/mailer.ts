import { SmtpMailer, type SmtpSender } from "@parley/adapters-http/node"
import { Mailer, type MailSender } from "@parley/core/adapter"
import { Console, Layer, Redacted } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"

/** The client of the configured mail server; undefined if none is configured. */
export const mailServer = ({ mail }: Pick<ParleyConfig, "mail">): SmtpSender | undefined =>
  mail?._tag === "Server" ? SmtpMailer({ url: Redacted.value(mail.url), from: mail.from }) : undefined

/** Prints mails on the server's output instead of sending them, for a developer's own machine. */
const printer: MailSender = {
  send: ({ subject, text, to }) => Console.log(`\nA mail to ${to}: ${subject}\n\n${text}`)
}

/** The configured sender of mails. */
export const mailerLayer = (config: Pick<ParleyConfig, "mail">): Layer.Layer<never> =>
  config.mail === undefined
    ? Layer.empty
    : Layer.sync(Mailer, () => (config.mail?._tag === "Log" ? printer : mailServer(config)))
