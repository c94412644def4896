import type { Bot } from "../../bots/Bot.ts"
import type { Handover, HandoverLanguage } from "../../chat/store/Handover.ts"
import type { StoredMessage } from "../../chat/store/StoredChat.ts"
import type { Mail } from "../../mail/Mailer.ts"

/** The maximum number of characters of a message in a mail; `LONGEST_PAGE` is that of a page's address. */
const LONGEST_MESSAGE = 2_000
const LONGEST_PAGE = 500

interface MailTexts {
  readonly asks: (bot: string) => string
  readonly page: string
  readonly said: string
  readonly open: string
  readonly noReply: string
  readonly answered: (bot: string, person: string) => string
  readonly aPerson: string
  readonly goOn: string
  readonly why: string
}

const TEXTS: Readonly<Record<HandoverLanguage, MailTexts>> = {
  en: {
    asks: (bot) => `A visitor of ${bot} asks for a person`,
    page: "On the page (as the visitor's browser named it):",
    said: "The last messages:",
    open: "Answer here:",
    noReply: "Answers to this mail do not reach the visitor.",
    answered: (bot, person) => `${person} answered you at ${bot}`,
    aPerson: "A person",
    goOn: "To go on, open the chat on the page on which you wrote. Answers to this mail are not read.",
    why: "You get this mail because this address was given in the chat. If that was not you, ignore it."
  },
  de: {
    asks: (bot) => `Ein Besucher von ${bot} möchte mit einem Menschen sprechen`,
    page: "Auf der Seite (nach Angabe des Browsers):",
    said: "Die letzten Nachrichten:",
    open: "Hier antworten:",
    noReply: "Antworten auf diese Mail erreichen den Besucher nicht.",
    answered: (bot, person) => `${person} hat Ihnen bei ${bot} geantwortet`,
    aPerson: "Ein Mensch",
    goOn: "Öffnen Sie den Chat auf der Seite, auf der Sie geschrieben haben. Antworten auf diese Mail werden nicht gelesen.",
    why: "Sie erhalten diese Mail, weil diese Adresse im Chat angegeben wurde. Waren Sie das nicht, ignorieren Sie sie."
  }
}

/**
 * Returns a person's text without control characters, including those that change the direction of the text around
 * them.
 */
const plain = (text: string, most: number): string => {
  const clean = text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, " ")
  return clean.length <= most ? clean : `${clean.slice(0, most - 1).toWellFormed()}…`
}

/** Returns a text in one line, as needed for subjects. */
const line = (text: string): string => plain(text, LONGEST_MESSAGE).replaceAll("\n", " ")

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")

/** A part of a mail: a paragraph by Parley, the words of a person, or an address of this server. */
type Part = { readonly text: string } | { readonly quote: string } | { readonly link: string }

/** Marks the words of a person on each line, so that none of them looks like a text by Parley. */
const textOf = (part: Part): string => {
  if ("quote" in part) return part.quote.replaceAll(/^/gm, "> ")
  return "link" in part ? part.link : part.text
}

/** Escapes the words of a person, so that none of them becomes an element or a link. */
const htmlOf = (part: Part): string => {
  if ("quote" in part) return `<blockquote style="white-space:pre-wrap">${escaped(part.quote)}</blockquote>`
  if ("link" in part) return `<p><a href="${escaped(part.link)}">${escaped(part.link)}</a></p>`
  return `<p>${escaped(part.text)}</p>`
}

const mailOf = (to: string, subject: string, language: HandoverLanguage, parts: ReadonlyArray<Part>): Mail => ({
  to,
  subject: line(subject),
  text: `${parts.map(textOf).join("\n\n")}\n`,
  html: [
    `<!doctype html><html lang="${language}"><body style="font-family:sans-serif;line-height:1.5">`,
    ...parts.map(htmlOf),
    "</body></html>"
  ].join("\n")
})

const quoteOf = ({ content }: Pick<StoredMessage, "content">): Part => ({ quote: plain(content, LONGEST_MESSAGE) })

export interface OwnerMailInput {
  readonly to: string
  readonly bot: Pick<Bot, "displayName">
  readonly handover: Pick<Handover, "language" | "page">
  /** The last messages of the visitor. */
  readonly messages: ReadonlyArray<Pick<StoredMessage, "content">>
  /** The address of the conversation in the dashboard, from the server's configuration; undefined without one. */
  readonly link: string | undefined
}

/** The mail that tells the bot's owner about a waiting visitor. */
export const ownerMail = ({ bot, handover, link, messages, to }: OwnerMailInput): Mail => {
  const { language, page } = handover
  const { asks, noReply, open, page: onPage, said } = TEXTS[language]
  const subject = asks(bot.displayName)
  return mailOf(to, subject, language, [
    { text: `${subject}.` },
    ...(page === undefined ? [] : [{ text: onPage }, { quote: plain(page, LONGEST_PAGE) }]),
    ...(messages.length === 0 ? [] : [{ text: said }, ...messages.map(quoteOf)]),
    ...(link === undefined ? [] : [{ text: open }, { link }]),
    { text: noReply }
  ])
}

export interface VisitorMailInput {
  readonly to: string
  readonly bot: Pick<Bot, "displayName">
  readonly language: HandoverLanguage
  readonly answer: Pick<StoredMessage, "author" | "content">
}

/**
 * The mail with a person's answer to a visitor who is gone. It contains no page address from the visitor, because the
 * visitor may have given the e-mail address of another person.
 */
export const visitorMail = ({ answer, bot, language, to }: VisitorMailInput): Mail => {
  const { aPerson, answered, goOn, why } = TEXTS[language]
  const person = answer.author === undefined || answer.author === "" ? aPerson : answer.author
  const subject = answered(bot.displayName, person)
  return mailOf(to, subject, language, [{ text: `${line(subject)}:` }, quoteOf(answer), { text: goOn }, { text: why }])
}
