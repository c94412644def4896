import type { ParsedDocument, ParserKind } from "@parley/core/adapter"
import type { ParserLimits } from "../../ParserLimits.ts"
import { cleanText } from "../cleanText.ts"
import { headingMark, takeHeadings, withoutMarks } from "../headingMarks.ts"
import { htmlText } from "../html/htmlText.ts"
import { Unreadable } from "../Unreadable.ts"
import { type MailAddress, type MailAttachment, type MailMessage, readMessage } from "./bundled/readMessage.ts"

/** The most attachments that are read. */
const MOST_ATTACHMENTS = 50
const DAMAGED = "The message is damaged and cannot be read. Save it again and upload the new file."

/** The kinds of parsers by file extension, in lower case. */
export type AttachmentKinds = ReadonlyMap<string, ParserKind>

/** The kinds of attachments that are read, and the function that reads one. */
interface AttachmentReading {
  readonly attachments: AttachmentKinds
  readonly parse: (kind: ParserKind, bytes: Uint8Array) => Promise<ParsedDocument>
}

const nameOf = ({ address = "", group, name }: MailAddress): string =>
  group === undefined
    ? [name, address && `<${address}>`].filter((part) => part !== "").join(" ")
    : `${name}: ${group.map(nameOf).join(", ")}`

const headOf = ({ cc = [], date, from, subject = "", to = [] }: MailMessage): string => {
  const lines = [
    ["From", from === undefined ? "" : nameOf(from)],
    ["To", to.map(nameOf).join(", ")],
    ["Cc", cc.map(nameOf).join(", ")],
    ["Date", date ?? ""]
  ].flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${withoutMarks(value ?? "")}`]))
  const title = withoutMarks(subject).replaceAll(/\s+/gu, " ").trim()
  return [title === "" ? "" : `${headingMark(1)}${title}`, lines.join("\n")].filter((part) => part !== "").join("\n\n")
}

/** Returns the plain text of a message; if it has only HTML, the text of the HTML. */
const bodyOf = ({ html, text }: MailMessage): string =>
  text !== undefined && text.trim() !== "" ? withoutMarks(text) : htmlText(html ?? "")

const bytesOf = ({ content }: MailAttachment): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content)

const headed = (title: string, { headings = [], text }: ParsedDocument): string => {
  let marked = ""
  let from = 0
  for (const { level, start } of headings) {
    marked += `${withoutMarks(text.slice(from, start))}${headingMark(level + 1)}`
    from = start
  }
  return `${headingMark(1)}${title}\n\n${marked}${withoutMarks(text.slice(from))}`
}

/**
 * Returns the text of an attachment after its name, a sentence if it cannot be read, or an empty text for a picture
 * that is part of the message.
 */
const attachmentText = async (
  attachment: MailAttachment,
  { attachments, parse }: AttachmentReading
): Promise<string> => {
  const name = withoutMarks(attachment.filename ?? "")
    .replaceAll(/\s+/gu, " ")
    .trim()
  if (attachment.related === true || name === "") return ""
  const kind = attachments.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase())
  if (kind === undefined) return `${headingMark(1)}${name}\n\nThis attachment is of a type that is not read.`
  try {
    return headed(name, await parse(kind, bytesOf(attachment)))
  } catch (cause) {
    const reason = cause instanceof Unreadable ? cause.message : "It is damaged and cannot be read."
    return `${headingMark(1)}${name}\n\nThis attachment was not read. ${reason}`
  }
}

/**
 * Reads a message (RFC 5322, MIME), or a web page that a browser has saved in that format (RFC 2557): its header
 * fields, its text, and its attachments after their names. Messages that it contains are part of its text.
 */
export const parseMail = async (
  bytes: Uint8Array,
  limits: ParserLimits,
  reading: AttachmentReading
): Promise<ParsedDocument> => {
  const email = await readMessage(bytes).catch(() => {
    throw new Unreadable("damaged", DAMAGED)
  })
  const parts = [headOf(email), bodyOf(email)]
  let length = 0
  for (const attachment of email.attachments.slice(0, MOST_ATTACHMENTS)) {
    const text = await attachmentText(attachment, reading)
    parts.push(text)
    length += text.length
    if (length > limits.maxTextLength) break
  }
  const marked = parts.map((part) => part.trim()).filter((part) => part !== "")
  return { ...takeHeadings(cleanText(marked.join("\n\n"))), pageStarts: null }
}
