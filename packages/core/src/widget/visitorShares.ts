import { Effect } from "effect"
import type { Bot } from "../bots/Bot.ts"
import type { DailyShare } from "../chat/dailyShares.ts"
import { addressBucket } from "../limits/addressBucket.ts"
import type { WidgetLimits } from "../tiers/CatalogData.ts"
import { hexDigest } from "./hexDigest.ts"

const partOf = (credits: number, percent: number): number => Math.floor((credits * percent) / 100)

/**
 * What one bot may take of its owner's day, and one address of the owner's and of the bot's. The first reply to an address is
 * spared: a small day is no reason to answer nobody. An address is kept as a digest, for the day.
 */
export const visitorShares = Effect.fnUntraced(function* (
  { dailyCap, id, owner }: Bot,
  address: string | undefined,
  { addressDailyPercent, botDailyPercent, ownerDailyCredits }: WidgetLimits
): Effect.fn.Return<ReadonlyArray<DailyShare>> {
  const bucket = addressBucket(address)
  const ofBot = Math.min(partOf(ownerDailyCredits, botDailyPercent), dailyCap ?? Infinity)
  const shareOfAddress = (of: string, credits: number) =>
    Effect.map(hexDigest([of, bucket]), (subject): DailyShare => ({
      name: "address",
      subject,
      credits: partOf(credits, addressDailyPercent),
      sparesFirst: true
    }))
  return [
    { name: "bot", subject: id, credits: ofBot },
    yield* shareOfAddress(`bot ${id}`, ofBot),
    yield* shareOfAddress(`owner ${owner}`, ownerDailyCredits)
  ]
})
