import { handover as english } from "../../../messages/en/handover.ts"
import { partMessages } from "../../../messages/partMessages.ts"

/** The texts about people who answer in the place of a bot. */
export const useHandoverMessages = partMessages(english, {
  de: async () => (await import("../../../messages/de/handover.ts")).handover,
  fr: async () => (await import("../../../messages/fr/handover.ts")).handover,
  es: async () => (await import("../../../messages/es/handover.ts")).handover,
  pt: async () => (await import("../../../messages/pt/handover.ts")).handover
})
