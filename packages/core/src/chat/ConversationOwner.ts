import type { UserId } from "../identity/UserId.ts"

/** A person's own conversations. */
export interface PersonOwner {
  readonly person: UserId
}

/**
 * The conversations of one visitor with one bot. Only this visitor continues them, with this bot; the bot's owner, whose
 * rows they are, may read and delete them.
 */
export interface VisitorOwner {
  /** The name that the visitor's browser gave itself. */
  readonly visitor: string
  readonly bot: string
  readonly botOwner: UserId
}

/** Whose conversations: each owner's are fenced from all others', a person's from those of the visitors of their bots. */
export type ConversationOwner = PersonOwner | VisitorOwner

/** An owner as stores keep it: who can be asked to answer for it comes first, so that rows can be placed by that person. */
export interface OwnerKey {
  readonly userId: UserId
  /** Empty for a person's own conversations. */
  readonly bot: string
  readonly visitor: string
}

/** The key of an owner. Different owners have different keys. */
export const ownerKey = (owner: ConversationOwner): OwnerKey =>
  "person" in owner
    ? { userId: owner.person, bot: "", visitor: "" }
    : { userId: owner.botOwner, bot: owner.bot, visitor: owner.visitor }

/** The owner of a key. */
export const ownerOf = ({ userId, bot, visitor }: OwnerKey): ConversationOwner =>
  bot === "" ? { person: userId } : { visitor, bot, botOwner: userId }
