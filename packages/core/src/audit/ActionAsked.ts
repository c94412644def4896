import { Schema } from "effect"

/** The operator or service that asks for an action, and the reason, for the audit log. */
export const ActionAsked = Schema.Struct({
  by: Schema.NonEmptyString,
  reason: Schema.optional(Schema.String),
  /** The address from which the operator acts, if it is known. */
  address: Schema.optional(Schema.String)
})
export type ActionAsked = typeof ActionAsked.Type

/** The operator `by` whom an action is asked over HTTP: an erasure of the person replaces it. */
export const operatorOf = (userId: string): string => `user:${userId}`

/** Who asks for an export or an erasure of their own data: an entry about an erased person must not name the person. */
export const BY_THE_PERSON = "the person"

export const BY_AN_APPLICATION: ActionAsked = { by: "an application" }
