import type { BotLanguage } from "../../../api/bots.ts"
import { type BotDraft, settingsOf } from "../editor/botDraft.ts"

const isText = (text: string | null | undefined) => (text ?? "").trim() !== ""

/**
 * The settings of a draft in the form in which the widget gets them in one language. A missing name is replaced by
 * `name`.
 */
export const previewedBot = (draft: BotDraft, language: BotLanguage, name: string): object => {
  const { translations, ...settings } = settingsOf(draft)
  const { launcherText, suggestedQuestions = [], welcomeCards = [], welcomeMessage } = translations[language] ?? {}
  return {
    displayName: isText(settings.displayName) ? settings.displayName.trim() : name,
    primaryColor: settings.primaryColor,
    position: settings.position,
    cornerRadius: settings.cornerRadius,
    font: settings.font,
    colorScheme: settings.colorScheme,
    showSources: settings.showSources,
    visitorUploads: settings.visitorUploads,
    handOver: settings.handOver,
    personName: settings.personName,
    launcherText: isText(launcherText) ? launcherText : settings.launcherText,
    welcomeMessage: isText(welcomeMessage) ? welcomeMessage : settings.welcomeMessage,
    suggestedQuestions: suggestedQuestions.length > 0 ? suggestedQuestions : settings.suggestedQuestions,
    welcomeCards: welcomeCards.length > 0 ? welcomeCards : settings.welcomeCards
  }
}
