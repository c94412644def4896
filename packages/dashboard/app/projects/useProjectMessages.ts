import { projects as english } from "../messages/projects/en.ts"
import { partMessages } from "../messages/partMessages.ts"

/** The texts of projects. */
export const useProjectMessages = partMessages(english, {
  de: async () => (await import("../messages/projects/de.ts")).projects,
  fr: async () => (await import("../messages/projects/fr.ts")).projects,
  es: async () => (await import("../messages/projects/es.ts")).projects,
  pt: async () => (await import("../messages/projects/pt.ts")).projects
})
