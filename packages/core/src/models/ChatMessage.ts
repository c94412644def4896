/** The author of a message. */
export const ROLES = ["user", "assistant", "system"] as const
export type Role = (typeof ROLES)[number]

/** A message for a model: its role and its text. */
export interface ChatMessage {
  readonly role: Role
  readonly content: string
}
