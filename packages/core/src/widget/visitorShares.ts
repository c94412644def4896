import { Effect } from "effect"
import type { Bot } from "../bots/Bot.ts"
import type { DailyShare } from "../chat/limits/dailyShares.ts"
import { addressBucket } from "../limits/addressBucket.ts"
import type { WidgetLimits } from "../tiers/CatalogData.ts"
import { hexDigest } from "./hexDigest.ts"

const partOf = (credits: number, percent: number): number => Math.floor((credits * percent) / 100)

/**
 * The daily shares of a visitor's reply: one for the bot; and for the visitor's address, one share of the bot's part
 * and one of the whole day. The first reply to an address is always allowed, so that a bot with a small daily cap
 * answers visitors at all. Addresses are stored as digests, for one day.
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
