import { Effect, Semaphore } from "effect"
import { failureFields } from "../storage/failureFields.ts"
import { CreditOperations } from "../credits/CreditOperations.ts"
import type { Hold, HoldEnd } from "../credits/holds/Hold.ts"
import { HoldHeartbeat } from "../credits/holds/HoldHeartbeat.ts"
import { restKey } from "../credits/holds/replyKey.ts"
import { isOfReply, type ReplyReceiptDraft } from "../credits/Receipt.ts"
import type { Usage } from "../models/Usage.ts"
import { endHold } from "../credits/holds/endHold.ts"
import type { ReplyParties } from "./ReplyParties.ts"
import { retryStorage } from "../storage/retryStorage.ts"

export interface ReplyHoldInput {
  readonly hold: Hold
  /** What spends its credits, and how much that may be in a day. */
  readonly spending: Pick<ReplyParties, "source" | "dailyCap">
  readonly progress: () => ReplyProgress
}

/** How far a reply has come. */
export interface ReplyProgress {
  readonly outputTokens: number
  /** What charges the whole reply should this process die. */
  readonly draft: ReplyReceiptDraft
  /** True where the draft is better known than when the hold was reserved. */
  readonly isBetterKnown: boolean
}

/** The credits that pay a reply: its hold, and where that was ended behind its back, another for what it did not pay. */
export interface ReplyHold {
  /** True once the hold is gone and the balance, or the daily cap, does not have what the rest may cost: the reply has to end. */
  readonly isLost: () => boolean
  /** Takes what the whole reply costs. Ends the heartbeat, once, and never fails. */
  settle(cost: number, draft: ReplyReceiptDraft): Effect.Effect<void>
  /** Gives all credits back that are held still. */
  readonly release: Effect.Effect<void>
}

/** What holds that are gone have been charged already. */
interface Paid {
  readonly credits: number
  readonly usage: Usage
}

const NOTHING: Paid = { credits: 0, usage: { freshInput: 0, cacheRead: 0, cacheWrite: 0, output: 0 } }

/** A hold that was ended by a sweeper: its process seemed dead, since no heartbeat of it came through in time. */
const isSwept = (end: HoldEnd): boolean => end._tag === "Released" || end.receipt.ended === "expired"

const addPaid = ({ credits, usage }: Paid, end: HoldEnd): Paid => {
  if (end._tag === "Released" || !isOfReply(end.receipt)) return { credits, usage }
  const { charged, usage: more } = end.receipt
  return {
    credits: credits + charged,
    usage: {
      freshInput: usage.freshInput + more.freshInput,
      cacheRead: usage.cacheRead + more.cacheRead,
      cacheWrite: usage.cacheWrite + more.cacheWrite,
      output: usage.output + more.output
    }
  }
}

/** What of a usage is not paid yet. */
const restOf = (usage: Usage, paid: Usage): Usage => ({
  freshInput: Math.max(0, usage.freshInput - paid.freshInput),
  cacheRead: Math.max(0, usage.cacheRead - paid.cacheRead),
  cacheWrite: Math.max(0, usage.cacheWrite - paid.cacheWrite),
  output: Math.max(0, usage.output - paid.output)
})

const REPLACED = "The hold of an open reply was ended by a sweeper; credits for the rest of the reply were held anew."
const LOST =
  "The hold of an open reply was ended by a sweeper, and balance or daily cap do not pay the rest; the reply is cut off."

/**
 * Keeps the hold of a reply. A heartbeat that finds it gone holds what the rest of the reply may cost anew, where the
 * balance and the daily cap have room for it; else the reply is lost. Whatever was delivered is paid in the end as far as there are credits: what a
 * sweeper took is part of the price.
 */
export const makeKeepReplyHold = Effect.gen(function* () {
  const heartbeat = yield* HoldHeartbeat
  const credits = yield* CreditOperations

  return Effect.fnUntraced(function* (input: ReplyHoldInput): Effect.fn.Return<ReplyHold> {
    const { progress } = input
    const { dailyCap, source } = input.spending
    const { userId, key: first, amount: bound } = input.hold
    /** One after another: holding anew and ending. */
    const turn = Semaphore.makeUnsafe(1)
    let number = 0
    /** Undefined where all that the reply may cost is paid. */
    let hold: Pick<Hold, "key" | "amount"> | undefined = input.hold
    let paid = NOTHING
    let lost = false
    let ended = false
    let stopKeeping: Effect.Effect<void> = Effect.void

    const unpaid = (draft: ReplyReceiptDraft, before: Paid): ReplyReceiptDraft => ({
      ...draft,
      usage: restOf(draft.usage, before.usage)
    })
    /** The end of a hold that is gone: to release it changes nothing any more. */
    const endOf = (key: string) =>
      Effect.catchTag(credits.release({ userId, key }), "HoldNotFound", () =>
        Effect.succeed<HoldEnd>({ _tag: "Released" })
      )
    const holdRest = (
      place: number,
      amount: number,
      minimumAmount: number,
      draft: ReplyReceiptDraft,
      cap?: ReplyParties["dailyCap"]
    ) =>
      credits
        .reserve({
          userId,
          key: restKey(first, place),
          fingerprint: `the rest of ${first}`,
          amount,
          minimumAmount,
          source,
          dailyCap: cap,
          ttlMs: heartbeat.ttlMs,
          draft
        })
        .pipe(Effect.catchTag(["AccountNotFound", "InvalidAmount", "KeyConflict"], Effect.die))

    const keep = (key: string, before: Paid) =>
      heartbeat.keep(
        { userId, key },
        () => {
          const { draft, isBetterKnown, outputTokens } = progress()
          const rest = isBetterKnown || before !== NOTHING ? unpaid(draft, before) : undefined
          return { outputTokens: Math.max(0, outputTokens - before.usage.output), draft: rest }
        },
        replace(key)
      )

    const replace = (gone: string): Effect.Effect<void> =>
      Effect.gen(function* () {
        if (ended || lost || hold?.key !== gone) return
        const before = addPaid(paid, yield* endOf(gone))
        const left = bound - before.credits
        const reserved =
          left > 0
            ? yield* holdRest(number + 1, left, left, unpaid(progress().draft, before), dailyCap).pipe(
                Effect.catchTag("DailyCapReached", ({ _tag }) => Effect.succeed({ _tag } as const))
              )
            : undefined
        yield* stopKeeping
        stopKeeping = Effect.void
        if (reserved !== undefined && reserved._tag !== "Held") {
          lost = true
          return yield* Effect.annotateLogs(Effect.logWarning(LOST), { hold: first })
        }
        number += 1
        paid = before
        hold = reserved?.hold
        if (hold !== undefined) stopKeeping = yield* keep(hold.key, before)
        yield* Effect.annotateLogs(Effect.logWarning(REPLACED), { hold: first })
      }).pipe(
        retryStorage,
        Effect.catch((failed) =>
          Effect.annotateLogs(
            Effect.logWarning("A hold that is gone could not be replaced; trying at the next heartbeat."),
            failureFields(failed)
          )
        ),
        turn.withPermit,
        Effect.uninterruptible
      )

    /** Safe to repeat: each hold gives its first end again. */
    const payFrom = (
      from: Pick<Hold, "key" | "amount">,
      before: Paid,
      place: number,
      cost: number,
      draft: ReplyReceiptDraft
    ): Effect.Effect<void, unknown> =>
      Effect.gen(function* () {
        const amount = Math.max(0, cost - before.credits)
        const end = yield* credits.settle({ userId, key: from.key, amount, draft: unpaid(draft, before) })
        if (!isSwept(end)) return
        const after = addPaid(before, end)
        const due = Math.min(cost, bound) - after.credits
        if (due <= 0) return
        // Without the cap: this was delivered.
        const reserved = yield* Effect.catchTag(
          holdRest(place + 1, due, 1, unpaid(draft, after)),
          "DailyCapReached",
          Effect.die
        )
        if (reserved._tag === "Held") yield* payFrom(reserved.hold, after, place + 1, cost, draft)
      })

    /** Ends what is held, after a hold that is being taken anew, and then the heartbeat. */
    const end = (work: (from: Pick<Hold, "key" | "amount">) => Effect.Effect<unknown, unknown>): Effect.Effect<void> =>
      turn.withPermit(
        Effect.suspend(() => {
          ended = true
          return hold === undefined ? stopKeeping : endHold(work(hold), first, stopKeeping)
        })
      )

    stopKeeping = yield* keep(first, NOTHING)
    return {
      isLost: () => lost,
      settle: (cost, draft) => end((from) => payFrom(from, paid, number, cost, draft)),
      release: end(({ key }) => credits.release({ userId, key }))
    }
  })
})
