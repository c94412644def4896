import { Schema } from "effect"
import { UserId } from "../../identity/UserId.ts"
import { Id } from "../../storage/inputs.ts"

/** A person's own conversations. */
export const PersonOwner = Schema.Struct({ person: UserId })
export type PersonOwner = typeof PersonOwner.Type

/**
 * The conversations of one visitor with one bot. Only this visitor continues them, with this bot; the bot's owner, whose
 * rows they are, may read and delete them.
 */
export const VisitorOwner = Schema.Struct({
  /** The name that the visitor's browser gave itself. */
  visitor: Id,
  bot: Id,
  botOwner: UserId
})
export type VisitorOwner = typeof VisitorOwner.Type

/** Whose conversations: each owner's are fenced from all others', a person's from those of the visitors of their bots. */
export const ConversationOwner = Schema.Union([PersonOwner, VisitorOwner])
export type ConversationOwner = PersonOwner | VisitorOwner

/** An owner as stores keep it: who can be asked to answer for it comes first, so that rows can be placed by that person. */
export interface OwnerKey {
  readonly userId: UserId
  /** Empty for a person's own conversations. */
  readonly bot: string
  readonly visitor: string
}

/** The key of an owner. Different owners have different keys. */
export const ownerKey = (owner: ConversationOwner): OwnerKey => {
  if ("person" in owner) return { userId: owner.person, bot: "", visitor: "" }
  const { bot, botOwner: userId, visitor } = owner
  // An empty name would be the key of the bot's owner.
  if (bot === "" || visitor === "") throw new Error("A bot and its visitor have names that are not empty.")
  return { userId, bot, visitor }
}

/** The owner of a key. */
export const ownerOf = ({ userId, bot, visitor }: OwnerKey): ConversationOwner =>
  bot === "" ? { person: userId } : { visitor, bot, botOwner: userId }
