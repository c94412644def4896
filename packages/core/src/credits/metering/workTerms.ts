import { parseUsageSource, type UsageSource } from "../UsageSource.ts"

/** What is asked under a key of metered work: the same key with other terms is refused. */
export interface WorkTerms {
  readonly amount: number
  readonly minimumAmount: number
  readonly source: UsageSource
  /** Undefined if the caller named none. */
  readonly lifetimeSeconds: number | undefined
}

/** The terms as the fingerprint of a hold, from which `sourceOfWork` reads. */
export const workFingerprint = ({ amount, lifetimeSeconds, minimumAmount, source }: WorkTerms): string =>
  ["work", amount, minimumAmount, source, ...(lifetimeSeconds === undefined ? [] : [lifetimeSeconds])].join(" ")

/** The source that a hold of metered work was reserved for. A record keeps the fingerprint of its hold, and not the source. */
export const sourceOfWork = (fingerprint: string): UsageSource => {
  const source = parseUsageSource(fingerprint.split(" ")[3] ?? "")
  if (source === undefined) throw new Error("The fingerprint of metered work names no source.")
  return source
}
