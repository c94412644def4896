import { Context, type Effect, Schema } from "effect"

/** A mail to one person. Its texts contain no control characters, except line feeds in `text` and `html`. */
export interface Mail {
  /** One address, in the form of `mailAddressOf`. */
  readonly to: string
  readonly subject: string
  /** The content for programs that do not show HTML. */
  readonly text: string
  readonly html: string
}

/**
 * The reasons why a mail is not sent. `refused`: the mail server refused it; the others: the mail server did not answer
 * about it.
 */
export const MAIL_FAILURES = ["unreachable", "timeout", "login", "refused", "not_installed"] as const

/** The mail server did not accept a mail. Contains neither the mail nor the text of the answer. */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  reason: Schema.Literals(MAIL_FAILURES),
  /** The reply code of the mail server (RFC 5321, 4.2), if there is one. */
  replyCode: Schema.optionalKey(Schema.Int)
}) {
  readonly code = "mail_failed"
  override get message() {
    const code = this.replyCode === undefined ? "" : ` (${this.replyCode})`
    return `The mail was not sent: ${this.reason}${code}.`
  }
}

/** Sends mails. */
export interface MailSender {
  /**
   * Succeeds if the mail server has accepted the mail for delivery. Ends within the time limit of the implementation.
   */
  send(mail: Mail): Effect.Effect<void, MailFailed>
}

/** The sender of mails; none unless configured. */
export class Mailer extends Context.Reference<MailSender | undefined>("@parley/core/mail/Mailer", {
  defaultValue: () => undefined
}) {}
