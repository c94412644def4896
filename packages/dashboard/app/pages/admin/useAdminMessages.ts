import { admin as english } from "../../messages/en/admin.ts"
import { type PartMessages, partMessages } from "../../messages/partMessages.ts"

/** The texts of the application together with those of the administration. */
export type AdminMessages = PartMessages<keyof typeof english>

export const useAdminMessages = partMessages(english, async () => (await import("../../messages/de/admin.ts")).admin)
