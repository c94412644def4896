import type { Side, Theme } from "../../../src/host/messages.ts"
import { safeAddress } from "../markdown/safeAddress.ts"

/** The fonts of the chat. `frame.css` has a rule for each. */
const FONTS = ["system", "humanist", "rounded", "serif", "mono"] as const
const SIDES = ["left", "right"] as const
export const THEMES = ["auto", "light", "dark"] as const

/** A card in an empty conversation. It opens a page or asks a question. */
export interface Card {
  readonly title: string
  readonly text: string
  readonly leadsTo: { readonly link: URL } | { readonly question: string }
}

/** The public settings of a bot. */
export interface BotConfig {
  readonly displayName: string
  readonly welcomeMessage: string
  readonly primaryColor: string
  /** The side of the window that the owner chose, if any. */
  readonly position: Side | undefined
  /** The words beside the launcher's icon, if any. */
  readonly launcherText: string | undefined
  /** The radius of the corners in pixels. */
  readonly cornerRadius: number
  readonly font: (typeof FONTS)[number]
  /** The colours of the chat, unless the embedding page chooses them. */
  readonly colorScheme: Theme
  readonly suggestedQuestions: ReadonlyArray<string>
  readonly cards: ReadonlyArray<Card>
  /** True if visitors see the passages that replies cite. */
  readonly showSources: boolean
  /** True if visitors can attach files. */
  readonly takesFiles: boolean
  /** True if visitors can ask for a person. */
  readonly handOver: boolean
  /** The time when people answer again, in ISO 8601; undefined if they answer now. */
  readonly opensAt: string | undefined
  /** The name that visitors see of the people who answer, if the bot has one. */
  readonly personName: string | undefined
}

const DEFAULT_RADIUS = 18

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Reads the cards that can be shown: with a title, and with a question or an allowed link. */
const cardsFrom = (value: unknown): ReadonlyArray<Card> => {
  const { link, question, text, title } = Object(value) as Record<string, unknown>
  const words = { title: textOf(title).trim(), text: textOf(text) }
  const page = safeAddress(textOf(link))
  const asked = textOf(question).trim()
  if (words.title === "") return []
  if (page !== undefined && page.protocol !== "mailto:") return [{ ...words, leadsTo: { link: page } }]
  return asked === "" ? [] : [{ ...words, leadsTo: { question: asked } }]
}

/**
 * Reads the bot's configuration from the server's response. Unknown values, which a later release may have, count as
 * not set.
 */
export const configFrom = (body: unknown): BotConfig => {
  const fields = body as Record<string, unknown>
  const { displayName, primaryColor, showSources, suggestedQuestions, welcomeMessage } = fields
  const radius = fields["cornerRadius"]
  return {
    takesFiles: fields["visitorUploads"] === true,
    handOver: fields["handOver"] === true,
    opensAt: textOf(fields["opensAt"]) || undefined,
    personName: textOf(fields["personName"]) || undefined,
    displayName: textOf(displayName),
    welcomeMessage: textOf(welcomeMessage),
    primaryColor: textOf(primaryColor),
    position: SIDES.find((side) => side === fields["position"]),
    launcherText: textOf(fields["launcherText"]).trim() || undefined,
    cornerRadius: typeof radius === "number" ? radius : DEFAULT_RADIUS,
    font: FONTS.find((font) => font === fields["font"]) ?? "system",
    colorScheme: THEMES.find((theme) => theme === fields["colorScheme"]) ?? "auto",
    suggestedQuestions: Array.isArray(suggestedQuestions)
      ? suggestedQuestions.filter((each): each is string => typeof each === "string" && each.trim() !== "")
      : [],
    cards: Array.isArray(fields["welcomeCards"]) ? fields["welcomeCards"].flatMap(cardsFrom) : [],
    showSources: showSources === true
  }
}
