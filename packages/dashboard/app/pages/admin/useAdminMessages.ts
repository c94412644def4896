import { admin as english } from "../../messages/en/admin.ts"
import { type PartMessages, partMessages } from "../../messages/partMessages.ts"

/** The texts of the application together with those of the administration. */
export type AdminMessages = PartMessages<keyof typeof english>

export const useAdminMessages = partMessages(english, {
  de: async () => (await import("../../messages/de/admin.ts")).admin,
  fr: async () => (await import("../../messages/fr/admin.ts")).admin,
  es: async () => (await import("../../messages/es/admin.ts")).admin,
  pt: async () => (await import("../../messages/pt/admin.ts")).admin
})
