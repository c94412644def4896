import { Effect, Schema, Struct } from "effect"
import { withFields } from "../storage/inputs.ts"
import { mailAddressOf } from "../mail/mailAddress.ts"
import { issuesOf } from "../validation/issuesOf.ts"
import { type BotSettings } from "./Bot.ts"
import { botFields, LATER_DEFAULTS, type WelcomeCard } from "./botFields.ts"
import { InvalidBot } from "./errors.ts"

const { displayName, ...others } = botFields

/** An owner's request to create a bot. Only the name is required; unknown fields are ignored. */
export const BotDraft = Schema.Struct({ displayName, ...Struct.map(others, Schema.optionalKey) })
export type BotDraft = typeof BotDraft.Type

/** An owner's request to change a bot: fields that are missing stay unchanged. */
export const BotChange = Schema.Struct(Struct.map(botFields, Schema.optionalKey))
export type BotChange = typeof BotChange.Type

/** Checks only the names of the fields of a draft or a change; the service checks their values. */
export const BOT_FIELDS = withFields<BotDraft>(...(Object.keys(botFields) as ReadonlyArray<keyof BotDraft>))

const DEFAULTS: Omit<BotSettings, "displayName"> = {
  welcomeMessage: "Hello! How can I help you?",
  primaryColor: "#2563eb",
  modelId: null,
  instructions: "",
  documentIds: [],
  allowedSites: [],
  dailyCap: null,
  declineText: null,
  suggestedQuestions: [],
  showSources: true,
  ...LATER_DEFAULTS,
  active: true
}

const decodeDraft = Schema.decodeUnknownEffect(BotDraft, { errors: "all" })
const decodeChange = Schema.decodeUnknownEffect(BotChange, { errors: "all" })

const invalid = (error: Schema.SchemaError) => new InvalidBot({ issues: issuesOf(error) })

const unique = (texts: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(texts)]

const site = (text: string): string => {
  const named = text.trim().toLowerCase().replace(/\/$/, "")
  return named.includes("://") ? named : `https://${named}`
}

const trimmed = (questions: ReadonlyArray<string>) => unique(questions.map((question) => question.trim()))

/** Trims the texts of welcome cards, and removes texts that are blank. */
const trimmedCards = (cards: ReadonlyArray<WelcomeCard>): ReadonlyArray<WelcomeCard> =>
  cards.map(({ link, question, text = "", title }) => ({
    title: title.trim(),
    ...(text.trim() === "" ? {} : { text: text.trim() }),
    ...(link === undefined ? {} : { link }),
    ...(question === undefined ? {} : { question: question.trim() })
  }))

type Translations = BotSettings["translations"]

/** Removes blank texts, and languages without any text; for those the texts for all languages are used. */
const withoutBlanks = (translations: Translations): Translations => {
  const texts = Object.entries(translations).map(([language, texts]) => {
    const {
      declineText = "",
      launcherText = "",
      suggestedQuestions = [],
      welcomeCards = [],
      welcomeMessage = ""
    } = texts
    const kept = {
      ...(welcomeMessage.trim() === "" ? {} : { welcomeMessage }),
      ...(suggestedQuestions.length === 0 ? {} : { suggestedQuestions: trimmed(suggestedQuestions) }),
      ...(welcomeCards.length === 0 ? {} : { welcomeCards: trimmedCards(welcomeCards) }),
      ...(declineText.trim() === "" ? {} : { declineText }),
      ...(launcherText.trim() === "" ? {} : { launcherText: launcherText.trim() })
    }
    return [language, kept] as const
  })
  return Object.fromEntries(texts.filter(([, kept]) => Object.keys(kept).length > 0))
}

/** Normalises a change: trims texts, lowers the case of values without significant case, removes duplicates. */
const normal = (change: BotChange): Partial<BotSettings> => ({
  ...change,
  ...(change.displayName === undefined ? {} : { displayName: change.displayName.trim() }),
  ...(change.primaryColor === undefined ? {} : { primaryColor: change.primaryColor.toLowerCase() }),
  ...(change.documentIds === undefined
    ? {}
    : { documentIds: unique(change.documentIds.map((id) => id.toLowerCase())) }),
  ...(change.allowedSites === undefined ? {} : { allowedSites: unique(change.allowedSites.map(site)) }),
  ...(typeof change.handOverEmail === "string" ? { handOverEmail: mailAddressOf(change.handOverEmail) ?? null } : {}),
  ...(typeof change.personName === "string" ? { personName: change.personName.trim() } : {}),
  // A blank decline text is stored as none, so that visitors always see a text.
  ...(change.declineText?.trim() === "" ? { declineText: null } : {}),
  ...(typeof change.launcherText === "string" ? { launcherText: change.launcherText.trim() || null } : {}),
  ...(change.suggestedQuestions === undefined ? {} : { suggestedQuestions: trimmed(change.suggestedQuestions) }),
  ...(change.welcomeCards === undefined ? {} : { welcomeCards: trimmedCards(change.welcomeCards) }),
  ...(change.translations === undefined ? {} : { translations: withoutBlanks(change.translations) })
})

/** Parses a request; returns the settings of a new bot, or its problems with the path of each. */
export const decodeBotDraft = (sent: unknown): Effect.Effect<BotSettings, InvalidBot> =>
  Effect.mapBoth(decodeDraft(sent), {
    onSuccess: (draft) => ({ ...DEFAULTS, displayName: draft.displayName, ...normal(draft) }),
    onFailure: invalid
  })

/** Parses a request; returns the settings to change, or the problems with the path of each. */
export const decodeBotChange = (sent: unknown): Effect.Effect<Partial<BotSettings>, InvalidBot> =>
  Effect.mapBoth(decodeChange(sent), { onSuccess: normal, onFailure: invalid })
