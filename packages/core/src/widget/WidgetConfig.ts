import type { Bot, BotSettings } from "../bots/Bot.ts"
import { botLanguage, botTexts } from "../bots/botTexts.ts"
import { opensAt } from "../bots/openingHours.ts"

/** The facts that a bot shows to visitors. */
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
  // Whether visitors can ask for a person, and the name of that person.
  | "handOver"
  | "personName"
> {
  /** When people are back, in Unix milliseconds; undefined if they are there. */
  readonly opensAt: number | undefined
}

/** A bot's look, its texts in the language of a tag (BCP 47), and whether people answer at a moment. */
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
