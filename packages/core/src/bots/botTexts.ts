import type { BotSettings } from "./Bot.ts"
import { BOT_LANGUAGES, type BotLanguage } from "./botFields.ts"

/** The language of a tag (BCP 47), of any region; undefined if the widget does not speak it, or without a tag. */
export const botLanguage = (tag: string | undefined): BotLanguage | undefined => {
  const asked = tag?.trim().toLowerCase().split(/[-_]/)[0]
  return BOT_LANGUAGES.find((language) => language === asked)
}

/** The texts of a bot in a language: those that its owner gave in it, otherwise those for all languages. */
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
