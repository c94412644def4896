import { parseSpender, type Spender } from "../Spender.ts"

const KEY = /^[A-Za-z0-9._~:-]{1,200}$/

/** Returns true if text is a valid key of metered work. */
export const isWorkKey = (key: string): boolean => KEY.test(key)

/**
 * The business key of the hold that pays metered work at its `place`-th attempt, from 1. Each attempt has its own key,
 * because an ended key stays ended. No key that a caller can choose equals the key of a further attempt.
 */
export const workKey = (key: string, place = 1): string => (place === 1 ? `work:${key}` : `work:${key}#${place}`)

/** The terms of metered work under a key; the same key with other terms is refused. */
export interface WorkTerms {
  readonly amount: number
  readonly minimumAmount: number
  readonly source: Spender
  /** Undefined if the caller gave none. */
  readonly lifetimeSeconds: number | undefined
}

/** Writes the terms as the fingerprint of a hold; `spenderOfWork` reads the spender from it. */
export const workFingerprint = ({ amount, lifetimeSeconds, minimumAmount, source }: WorkTerms): string =>
  ["work", amount, minimumAmount, source, ...(lifetimeSeconds === undefined ? [] : [lifetimeSeconds])].join(" ")

/**
 * Reads the spender of metered work from the fingerprint of its hold: the record of an ended hold stores the
 * fingerprint, but not the spender.
 */
export const spenderOfWork = (fingerprint: string): Spender => {
  const source = parseSpender(fingerprint.split(" ")[3] ?? "")
  if (source === undefined) throw new Error("The fingerprint of metered work names no source.")
  return source
}
