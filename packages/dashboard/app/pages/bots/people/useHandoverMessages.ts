import { handover as english } from "../../../messages/handover/en.ts"
import { partMessages } from "../../../messages/partMessages.ts"

/** The texts about people who answer in the place of a bot, together with the application's texts. */
export const useHandoverMessages = partMessages(english, {
  de: async () => (await import("../../../messages/handover/de.ts")).handover,
  fr: async () => (await import("../../../messages/handover/fr.ts")).handover,
  es: async () => (await import("../../../messages/handover/es.ts")).handover,
  pt: async () => (await import("../../../messages/handover/pt.ts")).handover
})
