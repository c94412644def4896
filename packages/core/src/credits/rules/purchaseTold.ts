import type { ChargedPurchase } from "../Correction.ts"

/** What a provider said of a refund or a dispute of a purchase. */
export interface Told {
  /** What it is about: the refund of the charge, or one of its disputes. */
  readonly source: string
  /** In the smallest unit of the purchase's currency. */
  readonly part: number
  /** The money of a dispute was given back, so that nothing of it is out. */
  readonly isWon: boolean
  /** Unix milliseconds. */
  readonly toldAt: number
}

/** What the key of a purchase stands for. */
export const purchaseContent = ({ granted, paid }: Pick<ChargedPurchase, "granted" | "paid">): string =>
  `purchase ${granted} ${paid}`

const TOLD = /^(refund|dispute) \d+ \d+ (\d+) (\d+)(?: (withdrawn|reinstated) (.*))?$/s

/** What the content of a refund's or a dispute's key says; undefined for any other. */
export const toldBy = (content: string): Told | undefined => {
  const [, kind, part, toldAt, funds, dispute] = TOLD.exec(content) ?? []
  if (kind === undefined) return undefined
  const source = kind === "refund" ? "refund" : `dispute ${dispute}`
  return { source, part: Number(part), isWon: funds === "reinstated", toldAt: Number(toldAt) }
}

/**
 * Whether one statement replaces another about the same. Providers tell the time in seconds: of two at the same time, a
 * dispute is won after it began, and a refund grew.
 */
export const isNewer = (told: Told, before: Told): boolean => {
  if (told.toldAt !== before.toldAt) return told.toldAt > before.toldAt
  if (told.isWon !== before.isWon) return told.isWon
  return told.part > before.part
}

/** The credits that are out by the latest statements: what each part of the price bought, in all no more than was granted. */
export const outOf = (
  { granted, paid }: Pick<ChargedPurchase, "granted" | "paid">,
  latest: ReadonlyArray<Told>
): number => {
  const out = latest.reduce(
    (sum, { isWon, part }) => sum + (isWon ? 0n : (BigInt(granted) * BigInt(part)) / BigInt(paid)),
    0n
  )
  return Math.min(granted, Number(out))
}
