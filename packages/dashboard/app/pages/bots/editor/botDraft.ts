import { type Bot, ParleyError } from "@parley/client"
import type { BotSettings, WelcomeCard } from "../../../api/bots.ts"
import { accentColour } from "../../../theme/plainColours.ts"

/** The settings of a bot while a person edits them. Fields that may be invalid meanwhile are texts. */
export interface BotDraft extends Omit<
  BotSettings,
  "allowedSites" | "declineText" | "handOverEmail" | "launcherText" | "personName"
> {
  /** The allowed sites, one in each line. */
  readonly allowedSites: string
  readonly declineText: string
  readonly handOverEmail: string
  readonly launcherText: string
  readonly personName: string
}

/** The defaults of a new bot. */
export const newBotDraft = (welcomeMessage: string): BotDraft => ({
  displayName: "",
  welcomeMessage,
  primaryColor: accentColour(),
  position: "auto",
  launcherText: "",
  cornerRadius: 18,
  font: "system",
  colorScheme: "auto",
  modelId: null,
  instructions: "",
  documentIds: [],
  allowedSites: "",
  dailyCap: null,
  declineText: "",
  suggestedQuestions: [],
  welcomeCards: [],
  translations: {},
  showSources: true,
  visitorUploads: false,
  handOver: false,
  handOverEmail: "",
  personName: "",
  openingHours: null,
  active: true
})

/** The draft for editing an existing bot. */
export const draftOf = ({
  id: _id,
  keys: _keys,
  createdAt: _created,
  updatedAt: _updated,
  ...settings
}: Bot): BotDraft => ({
  ...settings,
  allowedSites: settings.allowedSites.join("\n"),
  declineText: settings.declineText ?? "",
  handOverEmail: settings.handOverEmail ?? "",
  launcherText: settings.launcherText ?? "",
  personName: settings.personName ?? ""
})

const withoutBlanks = (questions: ReadonlyArray<string>) => questions.filter((question) => question.trim() !== "")
/** Removes cards without any text. */
const withoutBlankCards = (cards: ReadonlyArray<WelcomeCard>) =>
  cards
    .filter(({ link = "", question = "", text = "", title }) => `${title}${text}${link}${question}`.trim() !== "")
    .map((card) => (card.link === undefined ? card : { ...card, link: card.link.trim() }))
const textOrNull = (text: string): string | null => (text.trim() === "" ? null : text)

/** Converts a draft to the settings that are sent to the server. */
export const settingsOf = (draft: BotDraft): BotSettings => ({
  ...draft,
  allowedSites: draft.allowedSites
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== ""),
  declineText: textOrNull(draft.declineText),
  handOverEmail: textOrNull(draft.handOverEmail),
  launcherText: textOrNull(draft.launcherText),
  personName: textOrNull(draft.personName),
  suggestedQuestions: withoutBlanks(draft.suggestedQuestions),
  welcomeCards: withoutBlankCards(draft.welcomeCards),
  translations: Object.fromEntries(
    Object.entries(draft.translations).map(([language, texts]) => [
      language,
      {
        ...texts,
        suggestedQuestions: withoutBlanks(texts.suggestedQuestions ?? []),
        welcomeCards: withoutBlankCards(texts.welcomeCards ?? [])
      }
    ])
  )
})

/** The settings that differ between two drafts. Only these are sent, so that changes of another tab are kept. */
export const changesOf = (before: BotDraft, after: BotDraft): Partial<BotSettings> => {
  const [old, now] = [settingsOf(before), settingsOf(after)]
  return Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name as keyof BotSettings])
    )
  )
}

const REFUSALS: ReadonlySet<string> = new Set(["invalid_request", "invalid_bot"])

/** The names of the settings that the server refused; empty if the failure has another reason. */
export const refusedOf = (error: unknown): ReadonlySet<string> => {
  const issues = error instanceof ParleyError && REFUSALS.has(error.code) ? error.details["issues"] : undefined
  if (!Array.isArray(issues)) return new Set()
  return new Set(issues.map((issue: { readonly path?: unknown }) => String(issue.path).split(/[.[]/)[0] ?? ""))
}

const keyOf = (userId: string, botId: string | undefined): string => `parley.bot-draft.${userId}.${botId ?? "new"}`

const isDraft = (value: unknown): value is BotDraft =>
  typeof value === "object" &&
  value !== null &&
  "displayName" in value &&
  "allowedSites" in value &&
  "translations" in value

/** Unsaved drafts, kept until the tab is closed. */
export const botDrafts = {
  read: (userId: string, botId: string | undefined): BotDraft | undefined => {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(userId, botId)) ?? "null")
    return isDraft(kept) ? kept : undefined
  },
  keep: (userId: string, botId: string | undefined, draft: BotDraft | undefined): void => {
    if (draft === undefined) sessionStorage.removeItem(keyOf(userId, botId))
    else sessionStorage.setItem(keyOf(userId, botId), JSON.stringify(draft))
  }
}
