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
import { replyKey, restKey, closeRest } from "../../credits/rules/decideReply.ts"
import { HoldTtl } from "../../credits/holds/keepHolds.ts"
import { reserveOnTier } from "../../credits/rules/decideHold.ts"
import { IdGenerator } from "../../storage/storedForms.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import { Catalog } from "../../tiers/Catalog.ts"
import { modelsOfTier, tierOf } from "../../tiers/CatalogData.ts"
import type { InputUsage, ChatModel, ChatModelRequest } from "../../models/ChatModel.ts"
import { type Model, seesImages } from "../../models/Model.ts"
import { countMessage, estimateImageTokens, maxInputTokensFor } from "../../models/messageTokens.ts"
import { modelPrice, maxPriceOf, outputTokensWithin, priceOf } from "../../credits/rules/price.ts"
import { type GrantedShare, makeTakeShares } from "../limits/dailyShares.ts"
import { TooManyReplies } from "../errors.ts"
import { Tokenizer } from "../../tokens/Tokenizer.ts"
import type { Prompt } from "../prompt/prompt.ts"
import type { ModelCall, ReportedUsage } from "../../models/replyStream.ts"
import type { ReplyParties, OpenedReply } from "./Reply.ts"
import type { QuestionRewrite, ReplyEnd, ReplyReceiptDraft } from "../../credits/Transaction.ts"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import type { ReplyOutput } from "./ReplyText.ts"
import type { Usage } from "../../models/Usage.ts"
import type { TokenizerService } from "../../tokens/TokenizerService.ts"

/** The estimated number of tokens of a message apart from its text. */
const MESSAGE_TOKENS = 4

/** The estimated input tokens of a request, used if the vendor reported no count. */
export const estimatedInput = (
  messages: ReadonlyArray<ChatMessage>,
  tokenizer: TokenizerService,
  model: Pick<Model, "imageTokens">
): InputUsage => {
  let freshInput = 0
  for (const message of messages) {
    freshInput += countMessage(message, tokenizer).estimate + MESSAGE_TOKENS + estimateImageTokens(message, model)
  }
  return { freshInput, cacheRead: 0, cacheWrite: 0 }
}

/** A model that may write a reply, and the maximum numbers of tokens for it. */
export interface Candidate {
  readonly model: Model
  readonly provider: ChatModel
  readonly maxInputTokens: number
  readonly maxOutputTokens: number
}

/** The amount to hold for a reply, and the length of the reply that a smaller hold pays for. */
export interface ReplyQuote {
  /** Credits for the longest reply: the reply never costs more. */
  readonly amount: number
  /** Credits for the shortest reply, at its estimated price. */
  readonly minimumAmount: number
  /** Returns the maximum number of output tokens that `held` credits pay for. */
  outputTokensFor(held: number): number
}

/** The input of a request in tokens: an upper bound over all tokenizers, and an estimate. */
export interface QuotedInput {
  readonly maxTokens: number
  readonly estimate: InputUsage
}

/**
 * Computes the price of a reply before it is written. The amount to hold is an upper bound: for the most input tokens
 * the prompt can have and the most output tokens (`outputCeiling`) the model may write. This bound is several times the
 * price of most replies, so with it alone a person could never spend the last credits. If the balance is lower than the
 * bound, an estimate is used instead, at the highest price of input, because a write to a cache can cost more than
 * fresh input. The reply is then as long as the credits pay for by the estimate, and is charged at most the held
 * amount.
 */
export const quoteReply = (model: Model, input: QuotedInput, outputCeiling: number): ReplyQuote => {
  const tokens = Math.min(input.maxTokens, inputOf(input.estimate))
  const estimate = (output: number) => maxPriceOf(tokens, output, model)
  return {
    amount: maxPriceOf(input.maxTokens, outputCeiling, model),
    minimumAmount: estimate(Math.min(1, outputCeiling)),
    outputTokensFor: (held) => outputTokensWithin(held, estimate, outputCeiling)
  }
}

export interface ReplyCharge {
  /** Whole credits at the price; may exceed the hold, but the ledger charges at most the hold. */
  readonly amount: number
  readonly draft: ReplyReceiptDraft
  /** The vendor that wrote the reply. */
  readonly vendor: string
}

/** The maximum number of UTF-16 units that one token of any tokenizer represents. */
const UNITS_PER_TOKEN = 512

const inputOf = ({ cacheRead, cacheWrite, freshInput }: InputUsage): number => freshInput + cacheRead + cacheWrite

/** Ignores a reported input count of zero, because every prompt has tokens. */
const plausibleInput = (reported: InputUsage | undefined): InputUsage | undefined =>
  reported === undefined || inputOf(reported) === 0 ? undefined : reported

/**
 * Ignores reported figures that cannot be true for the request and the delivered text, for example zeros for a
 * delivered text.
 */
const plausibleUsage = (reported: Usage | undefined, delivered: string): Usage | undefined =>
  reported === undefined || inputOf(reported) === 0 || reported.output * UNITS_PER_TOKEN < delivered.length
    ? undefined
    : reported

/**
 * Returns the usage of a call: the vendor's figures if it reported them and they are plausible, otherwise an estimate
 * from the sent and delivered texts.
 */
export const usageOfCall = (
  { maxOutputTokens, messages, model }: ChatModelRequest,
  reported: ReportedUsage,
  delivered: { text(): string; tokens(): number },
  tokenizer: TokenizerService
): { readonly usage: Usage; readonly estimated: boolean } => {
  const plausible = plausibleUsage(reported.end?.usage, delivered.text())
  if (plausible !== undefined) return { usage: plausible, estimated: false }
  const input = plausibleInput(reported.inputUsage) ?? estimatedInput(messages, tokenizer, model)
  return { usage: { ...input, output: Math.min(delivered.tokens(), maxOutputTokens) }, estimated: true }
}

const rewritePart = (rewrite: QuestionRewrite | undefined) => (rewrite === undefined ? undefined : { rewrite })

/**
 * Returns the draft by which a sweeper charges a reply that has just begun if this process dies: for its input, and for
 * the output that is recorded later. The input is the vendor's count if it was reported that early, otherwise the
 * estimate.
 */
export const lostReplyDraft = (
  { call, reported, rewrite }: Pick<OpenedReply, "call" | "reported" | "rewrite">,
  chatId: string,
  tokenizer: TokenizerService
): ReplyReceiptDraft => {
  const { messages, model } = call.request
  const usage = { ...(plausibleInput(reported.inputUsage) ?? estimatedInput(messages, tokenizer, model)), output: 0 }
  const draft = { model: model.id, chatId, price: modelPrice(model), usage, estimated: true, ended: "expired" } as const
  return { ...draft, ...rewritePart(rewrite) }
}

/** Returns the charge for a reply: the price of its usage, plus the cost of the rewrite of its question. */
export const replyCharge = (
  { call, reported, rewrite }: Pick<OpenedReply, "call" | "reported" | "rewrite">,
  output: ReplyOutput,
  ended: ReplyEnd,
  chatId: string,
  tokenizer: TokenizerService
): ReplyCharge => {
  const { model } = call.request
  const { estimated, usage } = usageOfCall(call.request, reported, output, tokenizer)
  return {
    amount: priceOf(usage, model) + (rewrite?.credits ?? 0),
    draft: { model: model.id, chatId, price: modelPrice(model), usage, estimated, ended, ...rewritePart(rewrite) },
    vendor: call.provider.name
  }
}

export interface ReserveReplyInput {
  /** The payer's account; its tier determined the other limits. */
  readonly account: Account
  readonly parties: Pick<ReplyParties, "source" | "dailyCap" | "shares">
  /** The chosen model, followed by the models that may answer instead. */
  readonly candidates: readonly [Candidate, ...ReadonlyArray<Candidate>]
  readonly prompt: Prompt
  /**
   * If the question is to be rewritten: the maximum cost of the rewrite, and the maximum number of tokens that it adds
   * to the prompt.
   */
  readonly rewriting?: { readonly bound: number; readonly roomTokens: number } | undefined
  readonly chatId: string
  readonly messageId: string
  /**
   * The digest of the request, if it came with an idempotency key: the same key with other content is refused.
   * Undefined without a key.
   */
  readonly fingerprint: string | undefined
}

/**
 * Returns the state of the earlier try of a request whose hold was released. The process of that try may still be
 * alive, for example after a pause: if it has held credits again, the state of those is returned; otherwise it can no
 * longer hold any.
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

/** The price of a reply by each candidate, and the estimated input of the chosen model. */
const quotesOf = ({ candidates, prompt }: ReserveReplyInput, tokenizer: TokenizerService) => {
  const estimateFor = (model: Model) => estimatedInput(prompt.messages, tokenizer, model)
  const estimate = estimateFor(candidates[0].model)
  const quotes = candidates.map(({ maxInputTokens: maxTokens, maxOutputTokens, model }) =>
    quoteReply(model, { maxTokens, estimate: prompt.images > 0 ? estimateFor(model) : estimate }, maxOutputTokens)
  )
  return { estimate, quotes }
}

/**
 * The amount to hold: the maximum cost of the reply, including the rewrite of its question and the passages found for
 * the rewrite.
 */
const amountOf = ({ candidates, rewriting }: ReserveReplyInput, quotes: ReadonlyArray<ReplyQuote>): number => {
  if (rewriting === undefined) return Math.max(...quotes.map(({ amount }) => amount))
  const { bound, roomTokens } = rewriting
  const amounts = candidates.map(({ maxInputTokens, maxOutputTokens, model }) =>
    maxPriceOf(maxInputTokens + maxInputTokensFor(model, roomTokens), maxOutputTokens, model)
  )
  return bound + Math.max(...amounts)
}

/**
 * Returns the calls of a revised prompt if `held` credits cover the longest reply of the chosen model, otherwise
 * undefined. Fallbacks that the credits do not cover are left out.
 */
export const callsCoveredBy = (
  [chosen, ...fallbacks]: ReserveReplyInput["candidates"],
  { messages }: Prompt,
  held: number
): readonly [ModelCall, ...ReadonlyArray<ModelCall>] | undefined => {
  const isCovered = ({ maxInputTokens, maxOutputTokens, model }: Candidate) =>
    maxPriceOf(maxInputTokens, maxOutputTokens, model) <= held
  const callOf = ({ maxOutputTokens, model, provider }: Candidate): ModelCall => ({
    provider,
    request: { model, messages, maxOutputTokens }
  })
  return isCovered(chosen) ? [callOf(chosen), ...fallbacks.filter(isCovered).map(callOf)] : undefined
}

/** Milliseconds after which clients try again: it is unknown when one of the running replies ends. */
const BUSY_RETRY_MS = 2_000

/** The error for a balance that is too low, with the models whose shortest reply the balance covers. */
const refusal = (
  catalog: Catalog["Service"],
  { tier }: Account,
  { images, maxTokens }: Prompt,
  { estimate, minimumAmount }: { readonly estimate: InputUsage; readonly minimumAmount: number },
  refused: Extract<Reserved, { readonly _tag: "Refused" }>
) => {
  const available = availableOf(refused.buckets)
  const fits = (model: Model) => {
    if (images > 0 && !seesImages(model)) return false
    const input = { maxTokens: maxInputTokensFor(model, maxTokens, images), estimate }
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

/**
 * The calls of the models whose shortest reply `held` credits cover, each with the longest reply that the credits pay
 * for.
 */
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
 * Holds the credits for a reply before its model is asked: the maximum price among the models that may answer, if the
 * balance contains that much. If the balance covers only the chosen model, the more expensive fallbacks are left out,
 * and the request is not refused. If the balance is lower than the upper bound, the remaining credits are held, and the
 * reply is as long as they pay for by the estimate. If the account's tier has changed since this process remembered it,
 * nothing is held and the account is returned. Fails with `InsufficientCredits`, `DailyCapReached`, or `TooManyReplies`
 * if the tier limits running replies; nothing is held then.
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
    const { estimate, quotes } = quotesOf(input, yield* Tokenizer)
    // The draft by which a sweeper charges the reply if this process dies: the estimated input at the chosen model's
    // price.
    const usage = { ...estimate, output: 0 }
    const { amount: wanted, minimumAmount } = quotes[0] as ReplyQuote
    const { shares = [], source } = parties
    const amount = amountOf(input, quotes)
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
      // The process remembered an account that has been erased since.
      Effect.catchTag("AccountNotFound", ({ userId }) =>
        Effect.map(accounts.of(userId), (opened): OnOtherTier => ({ _tag: "OnOtherTier", account: opened }))
      ),
      Effect.catchTag("InvalidAmount", Effect.die),
      // Credits that are not held for this reply must not stay counted on its daily shares.
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
      limited: hold.amount < wanted,
      /**
       * True if the hold contains the whole requested amount, including the rewrite of the question and its passages.
       */
      coversAll: hold.amount === amount
    } as const
  }, Effect.withSpan("credits.reserve"))
})
