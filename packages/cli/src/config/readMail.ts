import { mailAddressOf } from "@parley/core/effect"
import { Redacted } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

/** The address with which mails are printed instead of sent, for trying Parley out. */
const LOG = "log:"
const SENDER = /^(?:[^\p{C}"(),:;<>@[\\\]]*<([^<>]+)>|([^<>]+))$/u

const isMailServer = (text: string): boolean => {
  const url = URL.parse(text)
  return text === LOG || (url !== null && ["smtp:", "smtps:"].includes(url.protocol) && url.hostname !== "")
}

const isSender = (text: string): boolean => {
  const parts = SENDER.exec(text)
  return mailAddressOf(parts?.[1] ?? parts?.[2] ?? "") !== undefined
}

/** Reads the settings of the mail server; undefined if none is configured, so that no mails are sent. */
export const readMail = (read: EnvironmentReader) => {
  const server = "smtps://<user>:<password>@<host>, smtp://<user>:<password>@<host>:587, or log: on your own machine"
  const url = read.valid("PARLEY_SMTP_URL", server, isMailServer)
  const sender = "an address such as sign-in@example.com, or with a name: Example <sign-in@example.com>"
  const from = read.valid("PARLEY_SMTP_FROM", sender, isSender)
  if (url === undefined) return undefined
  if (url === LOG) return { _tag: "Log" as const }
  if (read.text("PARLEY_SMTP_FROM") === undefined) {
    read.problem("PARLEY_SMTP_FROM", `expected ${sender}, since PARLEY_SMTP_URL is set`)
  }
  return { _tag: "Server" as const, url: Redacted.make(url), host: new URL(url).hostname, from: from ?? "" }
}
