import type { UserId } from "../identity/UserId.ts"

/** The key of a period's transaction names its owner (`periodKey`). Returns the key with the pseudonym in the owner's place. */
export const renameKey = (key: string, userId: UserId, pseudonym: UserId): string =>
  key.replaceAll(`period:${userId}:`, () => `period:${pseudonym}:`)
