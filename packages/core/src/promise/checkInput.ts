import { Effect, Schema } from "effect"
import { UserId } from "../identity/UserId.ts"
import { InvalidInput } from "./errors.ts"

const MAX_KEY = 1_000
const MAX_PAGE = 1_000

const isUserId = Schema.is(UserId)

const USER_ID = [isUserId, "a person's id: 1 to 255 characters, without NUL"] as const

const isKey = (value: unknown): boolean =>
  typeof value === "string" && value !== "" && value.length <= MAX_KEY && value.isWellFormed() && !value.includes("\0")

const isFrom = (minimum: number, maximum: number) => (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum

/** What fields of these names may be, wherever they are given. What a storage would make of anything else differs. */
const RULES: Readonly<Record<string, readonly [(value: unknown) => boolean, string]>> = {
  userId: USER_ID,
  owner: USER_ID,
  payer: USER_ID,
  documentsOwner: USER_ID,
  key: [isKey, `a key: 1 to ${MAX_KEY} characters, without NUL`],
  limit: [isFrom(1, MAX_PAGE), `a whole number from 1 to ${MAX_PAGE}`],
  offset: [isFrom(0, Number.MAX_SAFE_INTEGER), "a whole number from 0"]
}

/** Checks the fields of these names that are given, by the same rules whatever stores them; others are the services' own. */
export const checkInput = (input: object): Effect.Effect<void, InvalidInput> => {
  for (const [field, value] of Object.entries(input)) {
    const [isRight, expected] = RULES[field] ?? []
    if (isRight !== undefined && value !== undefined && !isRight(value)) {
      return Effect.fail(new InvalidInput({ field, expected: expected ?? "" }))
    }
  }
  return Effect.void
}
