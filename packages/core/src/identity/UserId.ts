import { Schema } from "effect"

/** A person, named by the identity provider's `sub`: 1 to 255 characters, no NUL and no lone surrogate. */
export const UserId = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(255),
  Schema.makeFilter((value: string) => (value.isWellFormed() && !value.includes("\0")) || "a well-formed text")
)
export type UserId = typeof UserId.Type

/** True if a text is a valid user id. */
export const isUserId: (value: unknown) => value is UserId = Schema.is(UserId)
