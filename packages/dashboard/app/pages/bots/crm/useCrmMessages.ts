import { crm as english } from "../../../messages/en/crm.ts"
import { partMessages } from "../../../messages/partMessages.ts"

export type CrmKey = keyof typeof english

export const isCrmKey = (key: string): key is CrmKey => Object.hasOwn(english, key)

/** The texts of the application together with those of connections to CRMs. */
export const useCrmMessages = partMessages(english, {
  de: async () => (await import("../../../messages/de/crm.ts")).crm,
  fr: async () => (await import("../../../messages/fr/crm.ts")).crm,
  es: async () => (await import("../../../messages/es/crm.ts")).crm,
  pt: async () => (await import("../../../messages/pt/crm.ts")).crm
})
