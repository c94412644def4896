import { isKeptText, type JsonObject } from "./shapes/ShapeReader.ts"

/** The metadata keys under which the person and the price are stored. */
export const USER_KEY = "parley_user"
export const PRICE_KEY = "parley_price"

/**
 * Returns metadata that names a person and a price. A value has at most 500 characters at Stripe; a user id has at most
 * 255.
 */
export const metadataOf = (userId: string, priceId: string): Record<string, string> => ({
  [USER_KEY]: userId,
  [PRICE_KEY]: priceId
})

const textIn = (metadata: unknown, key: string): string | undefined => {
  const value = typeof metadata === "object" && metadata !== null ? (metadata as JsonObject)[key] : undefined
  return isKeptText(value) ? value : undefined
}

/** The person that metadata names. */
export const userIn = (metadata: unknown): string | undefined => textIn(metadata, USER_KEY)

/** The price that metadata names. */
export const priceIn = (metadata: unknown): string | undefined => textIn(metadata, PRICE_KEY)
