import { parseSpender, type Spender } from "../Spender.ts"

const KEY = /^[A-Za-z0-9._~:-]{1,200}$/

/** Whether text can name metered work. */
export const isWorkKey = (key: string): boolean => KEY.test(key)

/**
 * The business key of the hold that pays metered work at its `place`-th try, from 1: a try that failed was released, and
 * a key that ended stays so. No name of other work can be the key of a further try.
 */
export const workKey = (key: string, place = 1): string => (place === 1 ? `work:${key}` : `work:${key}#${place}`)

/** The terms of metered work under a key; the same key with other terms is refused. */
export interface WorkTerms {
  readonly amount: number
  readonly minimumAmount: number
  readonly source: Spender
  /** Undefined if the caller named none. */
  readonly lifetimeSeconds: number | undefined
}

/** The terms as the fingerprint of a hold, from which `spenderOfWork` reads. */
export const workFingerprint = ({ amount, lifetimeSeconds, minimumAmount, source }: WorkTerms): string =>
  ["work", amount, minimumAmount, source, ...(lifetimeSeconds === undefined ? [] : [lifetimeSeconds])].join(" ")

/** The source that a hold of metered work was reserved for. A record keeps the fingerprint of its hold, and not the source. */
export const spenderOfWork = (fingerprint: string): Spender => {
  const source = parseSpender(fingerprint.split(" ")[3] ?? "")
  if (source === undefined) throw new Error("The fingerprint of metered work names no source.")
  return source
}
