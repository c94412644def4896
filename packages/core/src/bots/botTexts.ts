import type { BotSettings } from "./Bot.ts"
import { BOT_LANGUAGES, type BotLanguage } from "./botFields.ts"

/**
 * Returns the language of a tag (BCP 47), of any region; undefined if the widget does not support the language, or if
 * there is no tag.
 */
export const botLanguage = (tag: string | undefined): BotLanguage | undefined => {
  const asked = tag?.trim().toLowerCase().split(/[-_]/)[0]
  return BOT_LANGUAGES.find((language) => language === asked)
}

/**
 * Returns the texts of a bot in a language: those that its owner wrote in the language, otherwise those for all
 * languages.
 */
export const botTexts = (
  { declineText, launcherText, suggestedQuestions, translations, welcomeCards, welcomeMessage }: BotSettings,
  language: BotLanguage | undefined
): Pick<BotSettings, "welcomeMessage" | "suggestedQuestions" | "welcomeCards" | "declineText" | "launcherText"> => ({
  welcomeMessage,
  suggestedQuestions,
  welcomeCards,
  declineText,
  launcherText,
  ...(language === undefined ? {} : translations[language])
})
