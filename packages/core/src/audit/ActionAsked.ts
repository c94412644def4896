import { Schema } from "effect"

/** The operator or service that requests an action, and the reason; both are entered in the audit log. */
export const ActionAsked = Schema.Struct({
  by: Schema.NonEmptyString,
  reason: Schema.optional(Schema.String),
  /** The network address from which the operator acts, if it is known. */
  address: Schema.optional(Schema.String)
})
export type ActionAsked = typeof ActionAsked.Type

/** The name in the audit log of an operator who acts over HTTP; an erasure of this person replaces the name. */
export const operatorOf = (userId: string): string => `user:${userId}`

/**
 * The name in the audit log of a person who requests an export or an erasure of their own data: an entry about an
 * erased person must not identify the person.
 */
export const BY_THE_PERSON = "the person"

export const BY_AN_APPLICATION: ActionAsked = { by: "an application" }
