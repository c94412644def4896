import type { Bot, BotSettings } from "../bots/Bot.ts"
import { botLanguage, botTexts } from "../bots/botTexts.ts"
import { opensAt } from "../bots/openingHours.ts"

/** The settings of a bot that visitors see. */
export interface WidgetConfig extends Pick<
  BotSettings,
  | "displayName"
  | "welcomeMessage"
  | "primaryColor"
  | "position"
  | "launcherText"
  | "cornerRadius"
  | "font"
  | "colorScheme"
  | "suggestedQuestions"
  | "welcomeCards"
  | "showSources"
  | "visitorUploads"
  // The two fields say whether visitors can ask for a person, and the name of that person.
  | "handOver"
  | "personName"
> {
  /** Unix milliseconds: the time at which people answer again; undefined if they answer now. */
  readonly opensAt: number | undefined
}

/** Returns a bot's look, its texts in the language of a tag (BCP 47), and whether people answer at a time. */
export const configOf = (bot: Bot, lang: string | undefined, now: number): WidgetConfig => {
  const {
    colorScheme,
    cornerRadius,
    displayName,
    font,
    handOver,
    personName,
    position,
    primaryColor,
    showSources,
    visitorUploads
  } = bot
  const { launcherText, suggestedQuestions, welcomeCards, welcomeMessage } = botTexts(bot, botLanguage(lang))
  return {
    displayName,
    welcomeMessage,
    primaryColor,
    position,
    launcherText,
    cornerRadius,
    font,
    colorScheme,
    suggestedQuestions,
    welcomeCards,
    showSources,
    visitorUploads,
    handOver,
    personName,
    opensAt: opensAt(bot.openingHours, now)
  }
}
