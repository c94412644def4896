/** Who says a message. */
export const ROLES = ["user", "assistant", "system"] as const
export type Role = (typeof ROLES)[number]

/** What a model reads: a role and what was said. */
export interface ChatMessage {
  readonly role: Role
  readonly content: string
}
