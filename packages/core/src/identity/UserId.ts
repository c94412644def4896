import { Schema } from "effect"

const expected = "a person's id: 1 to 255 characters, without NUL"

/** The id of a person, from the identity provider's `sub`: 1 to 255 characters, without NUL and unpaired surrogates. */
export const UserId = Schema.String.annotate({
  description: "A person's id, as the identity provider names them."
})
  .check(
    Schema.isMinLength(1, { expected }),
    Schema.isMaxLength(255, { expected }),
    Schema.makeFilter((value: string) => value.isWellFormed() && !value.includes("\0"), { expected })
  )
  .annotateKey({ messageMissingKey: `Expected ${expected}` })
export type UserId = typeof UserId.Type

/** Returns true if a value is a valid user id. */
export const isUserId: (value: unknown) => value is UserId = Schema.is(UserId)

/**
 * The owner of rows that belong to no person: of security events without a person, and of units of work on global rows.
 */
export const NO_PERSON: UserId = "parley:no-person"
