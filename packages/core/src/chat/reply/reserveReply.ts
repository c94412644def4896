import { Effect, Exit } from "effect"
import { type Account, availableOf } from "../../credits/Account.ts"
import { Accounts } from "../../credits/Accounts.ts"
import { CreditLedger } from "../../credits/CreditLedger.ts"
import {
  type OnOtherTier,
  type Reserved,
  type ReserveInput,
  insufficientCredits,
  type HoldName
} from "../../credits/holds/Hold.ts"
import { replyKey, restKey } from "../../credits/rules/decideReply.ts"
import { HoldTtl } from "../../credits/holds/keepHolds.ts"
import { reserveOnTier } from "../../credits/rules/decideHold.ts"
import { closeRest } from "../../credits/rules/decideReply.ts"
import { IdGenerator } from "../../storage/IdGenerator.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { Catalog, modelsOfTier, tierOf } from "../../tiers/Catalog.ts"
import type { InputUsage } from "../../models/ChatModel.ts"
import { type Model } from "../../models/Model.ts"
import { maxInputTokensFor } from "../../models/messageTokens.ts"
import { modelPrice } from "../../credits/rules/price.ts"
import { type GrantedShare, makeTakeShares } from "../limits/dailyShares.ts"
import { TooManyReplies } from "../errors.ts"
import { estimatedInput, type Candidate, quoteReply, type ReplyQuote } from "./replyPrice.ts"
import { Tokenizer } from "../../tokens/Tokenizer.ts"
import type { Prompt } from "../prompt/prompt.ts"
import type { ModelCall, ReplyParties } from "./Reply.ts"

export interface ReserveReplyInput {
  /** The payer's tier, which decided the other limits. */
  readonly account: Account
  readonly parties: Pick<ReplyParties, "source" | "dailyCap" | "shares">
  /** The model that was chosen, then those that may answer instead. */
  readonly candidates: readonly [Candidate, ...ReadonlyArray<Candidate>]
  readonly prompt: Prompt
  readonly chatId: string
  readonly messageId: string
  /**
   * If the request came with an idempotency key: the digest of the request, so that the same key with other content is
   * refused.
   */
  readonly fingerprint: string | undefined
}

/**
 * Returns how the earlier try of a request ended whose hold was released. Its process may be alive, for example after a
 * pause: if it has held credits anew, the state of those counts; if not, it can do so no more.
 */
const makeCloseTry = Effect.map(CreditLedger, (ledger) => {
  const closeFrom = (
    { key, userId }: HoldName,
    place: number
  ): Effect.Effect<"open" | "settled" | "released", StorageFailed> =>
    Effect.flatMap(ledger.run(closeRest({ userId, key: restKey(key, place) })), (state) => {
      if (state === "released") return closeFrom({ key, userId }, place + 1)
      return Effect.succeed(state === "closed" ? "released" : state)
    })
  return (hold: HoldName) => closeFrom(hold, 1)
})

/** When one of several replies may have ended is unknown: clients ask again at this interval. */
const BUSY_RETRY_MS = 2_000

/** Why the balance does not suffice, with the models whose shortest reply it pays. */
const refusal = (
  catalog: Catalog["Service"],
  { tier }: Account,
  { maxTokens }: Prompt,
  { estimate, minimumAmount }: { readonly estimate: InputUsage; readonly minimumAmount: number },
  refused: Extract<Reserved, { readonly _tag: "Refused" }>
) => {
  const available = availableOf(refused.buckets)
  const fits = (model: Model) => {
    const input = { maxTokens: maxInputTokensFor(model, maxTokens), estimate }
    return quoteReply(model, input, model.maxOutputTokens).minimumAmount <= available
  }
  const affordable = modelsOfTier(catalog, tier).filter(fits)
  return insufficientCredits(
    minimumAmount,
    refused,
    affordable.map(({ id }) => id)
  )
}

const busy = (catalog: Catalog["Service"], { tier }: Account, open: number) =>
  new TooManyReplies({
    tier,
    tierName: tierOf(catalog, tier).displayName,
    limit: tierOf(catalog, tier).maxConcurrentReplies ?? open,
    retryAfterMs: BUSY_RETRY_MS
  })

/** The requests to the models for which `held` credits pay, each with the longest reply that they buy. */
const callsWithin = (
  candidates: ReserveReplyInput["candidates"],
  quotes: ReadonlyArray<ReplyQuote>,
  { messages }: Prompt,
  held: number
): readonly [ModelCall, ...ReadonlyArray<ModelCall>] => {
  const calls: Array<ModelCall> = []
  for (const [index, { model, provider }] of candidates.entries()) {
    const quote = quotes[index] as ReplyQuote
    if (index > 0 && quote.minimumAmount > held) continue
    calls.push({ provider, request: { model, messages, maxOutputTokens: quote.outputTokensFor(held) } })
  }
  return calls as [ModelCall, ...Array<ModelCall>]
}

/**
 * Holds the credits of a reply before its model is asked: for the most expensive of the models that may answer, if the
 * balance has them. If the balance suffices only for the chosen model, the more expensive fallbacks are left out, and
 * the request is not refused. If the balance has less than the bound, the remaining credits are held, and the reply is
 * as long as they buy by the estimate. If the account's tier has changed since it was remembered, nothing is held and
 * the account is returned. Fails with `InsufficientCredits`, `DailyCapReached`, or `TooManyReplies` if the tier bounds
 * them, having held nothing.
 */
export const makeReserveReply = Effect.gen(function* () {
  const accounts = yield* Accounts
  const catalog = yield* Catalog
  const ledger = yield* CreditLedger
  const ids = yield* IdGenerator
  const closeTry = yield* makeCloseTry
  const takeShares = yield* makeTakeShares
  const ttlMs = yield* HoldTtl

  return Effect.fnUntraced(function* (input: ReserveReplyInput) {
    const { account, candidates, chatId, parties, prompt, messageId, fingerprint } = input
    const [{ model }] = candidates
    const estimate = estimatedInput(prompt.messages, yield* Tokenizer)
    const quotes = candidates.map(({ maxInputTokens: maxTokens, maxOutputTokens, model: each }) =>
      quoteReply(each, { maxTokens, estimate }, maxOutputTokens)
    )
    // The draft by which a sweeper charges if this process dies: the chosen model's price for the estimated input.
    const usage = { ...estimate, output: 0 }
    const { amount: wanted, minimumAmount } = quotes[0] as ReplyQuote
    const { shares = [], source } = parties
    const amount = Math.max(...quotes.map((each) => each.amount))
    const unshared: GrantedShare = { amount, giveBack: () => Effect.void }
    const share = shares.length === 0 ? unshared : yield* takeShares(shares, { amount, minimumAmount, source })
    const asked: ReserveInput = {
      userId: account.userId,
      key: replyKey(messageId),
      fingerprint,
      amount: share.amount,
      minimumAmount,
      source,
      dailyCap: parties.dailyCap,
      openAtMost: tierOf(catalog, account.tier).maxConcurrentReplies,
      ttlMs,
      draft: { model: model.id, chatId, price: modelPrice(model), usage, estimated: true, ended: "expired" }
    }
    const reserved = yield* ledger.run(reserveOnTier(asked, account.tier, yield* ids.next)).pipe(
      // It was remembered, and erased since.
      Effect.catchTag("AccountNotFound", ({ userId }) =>
        Effect.map(accounts.of(userId), (opened): OnOtherTier => ({ _tag: "OnOtherTier", account: opened }))
      ),
      Effect.catchTag("InvalidAmount", Effect.die),
      // Credits that are not held for this reply must not be spent by it.
      Effect.onExit((exit) => {
        const isNew = Exit.isSuccess(exit) && exit.value._tag === "Held" && !exit.value.replayed
        return share.giveBack(share.amount - (isNew ? exit.value.hold.amount : 0))
      })
    )
    if (reserved._tag === "OnOtherTier") return reserved
    if (reserved._tag === "Busy") return yield* busy(catalog, account, reserved.open)
    if (reserved._tag === "Refused") {
      return yield* refusal(catalog, account, prompt, { estimate, minimumAmount }, reserved)
    }
    const { hold, replayed } = reserved
    const state = reserved.state === "released" ? yield* closeTry(hold) : reserved.state
    return {
      _tag: "Reserved",
      hold,
      share,
      earlier: replayed ? state : undefined,
      calls: callsWithin(candidates, quotes, prompt, hold.amount),
      limited: hold.amount < wanted
    } as const
  }, Effect.withSpan("credits.reserve"))
})
