import { widget as english } from "../../../messages/widget/en.ts"
import { partMessages } from "../../../messages/partMessages.ts"

/** The texts about the widget of a bot, together with the application's texts. */
export const useWidgetMessages = partMessages(english, {
  de: async () => (await import("../../../messages/widget/de.ts")).widget,
  fr: async () => (await import("../../../messages/widget/fr.ts")).widget,
  es: async () => (await import("../../../messages/widget/es.ts")).widget,
  pt: async () => (await import("../../../messages/widget/pt.ts")).widget
})
