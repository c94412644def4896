import {
  isThisMachine,
  loadPackage,
  type Mail,
  MailFailed,
  type MailSender,
  PackageMissing
} from "@parley/core/adapter"
import { Effect } from "effect"
import type { Transporter } from "nodemailer"

export interface SmtpMailerOptions {
  /**
   * The mail server: `smtps://user:password@host` for TLS from the first byte (port 465), `smtp://` for STARTTLS (port
   * 587), which is required unless the server is on this machine or the address ends with `?requireTLS=false`.
   */
  readonly url: string
  /** The sender: an address, or a name and an address: `Parley <sign-in@example.com>`. */
  readonly from: string
  /** Time limit of each step with the mail server, in milliseconds; default ten seconds. */
  readonly stepLimitMs?: number | undefined
  /** Time limit of a whole mail, in milliseconds; default 30 seconds. */
  readonly timeLimitMs?: number | undefined
}

/** Sends mails, and can check the mail server without sending one. */
export interface SmtpSender extends MailSender {
  /** Connects to the mail server and logs in. */
  readonly check: Effect.Effect<void, MailFailed>
}

const STEP_LIMIT_MS = 10_000
const TIME_LIMIT_MS = 30_000

/** nodemailer's error codes for a failed connection. */
const UNREACHABLE = ["ECONNECTION", "ESOCKET", "EDNS", "ETLS", "EPROTOCOL", "ECONNREFUSED"]

/** Converts an error of nodemailer to its code only, because its message may quote the mail or the password. */
const failureOf = (error: unknown): MailFailed => {
  if (error instanceof PackageMissing) return new MailFailed({ reason: "not_installed" })
  const { code, name, responseCode } = (error ?? {}) as Readonly<Record<"code" | "name" | "responseCode", unknown>>
  const reply = typeof responseCode === "number" && Number.isInteger(responseCode) ? { replyCode: responseCode } : {}
  if (code === "EAUTH") return new MailFailed({ reason: "login", ...reply })
  if (code === "ETIMEDOUT" || name === "TimeoutError") return new MailFailed({ reason: "timeout", ...reply })
  const isUnreachable = typeof code === "string" && UNREACHABLE.includes(code)
  return new MailFailed({ reason: isUnreachable ? "unreachable" : "refused", ...reply })
}

/** Sends mails by SMTP, each over its own connection. nodemailer is loaded with the first mail. */
export const SmtpMailer = (options: SmtpMailerOptions): SmtpSender => {
  const { from, stepLimitMs = STEP_LIMIT_MS, timeLimitMs = TIME_LIMIT_MS, url } = options
  const requireTLS = !isThisMachine(new URL(url).hostname)
  let opened: Promise<Transporter> | undefined
  const open = () => {
    opened ??= loadPackage("nodemailer", () => import("nodemailer")).then(({ createTransport }) =>
      createTransport({
        url: withDefault(url, "requireTLS", String(requireTLS)),
        connectionTimeout: stepLimitMs,
        greetingTimeout: stepLimitMs,
        socketTimeout: stepLimitMs,
        dnsTimeout: stepLimitMs,
        disableFileAccess: true,
        disableUrlAccess: true
      })
    )
    return opened
  }
  const within = (work: (transporter: Transporter) => Promise<unknown>): Effect.Effect<void, MailFailed> =>
    Effect.tryPromise({ try: () => open().then(work), catch: failureOf }).pipe(
      Effect.timeoutOrElse({ duration: timeLimitMs, orElse: () => Effect.fail(new MailFailed({ reason: "timeout" })) }),
      Effect.asVoid
    )
  return {
    // nodemailer does not parse an address that is passed as an object, so a comma in it cannot add a second receiver.
    send: ({ html, subject, text, to }: Mail) =>
      within((transporter) =>
        transporter.sendMail({
          from,
          to: { name: "", address: to },
          subject,
          text,
          html,
          // Tells mail servers not to send automatic replies such as notices of absence (RFC 3834, 5), which nothing
          // would read.
          headers: { "auto-submitted": "auto-generated" }
        })
      ),
    check: within((transporter) => transporter.verify())
  }
}

/** Adds a query parameter to an address, unless the address has that parameter already. */
const withDefault = (address: string, name: string, value: string): string => {
  const url = new URL(address)
  if (!url.searchParams.has(name)) url.searchParams.set(name, value)
  return url.href
}
