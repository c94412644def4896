import { Effect } from "effect"
import { type Account, availableOf } from "../credits/Account.ts"
import { CreditLedger, type Reserved } from "../credits/CreditLedger.ts"
import { InsufficientCredits } from "../credits/errors.ts"
import { Catalog, modelsOfTier } from "../tiers/Catalog.ts"
import { type Model, modelPrice } from "../tiers/Model.ts"
import type { Prompt } from "./prompt.ts"
import { quoteReply } from "./quoteReply.ts"

/** A reply whose process died is charged by the sweeper after this long. */
const HOLD_TTL_MS = 15 * 60_000

export interface ReserveReplyInput {
  readonly account: Account
  readonly model: Model
  readonly prompt: Prompt
  readonly messageId: string
  /** Where the request came with an idempotency key: what it asked, so that the same key with other content is refused. */
  readonly fingerprint: string | undefined
}

/** Holds the credits of a reply before its model is asked. Fails with `InsufficientCredits`, having held nothing. */
export const makeReserveReply = Effect.gen(function* () {
  const catalog = yield* Catalog
  const ledger = yield* CreditLedger

  const refusal = (
    account: Account,
    prompt: Prompt,
    required: number,
    { buckets, nextResetAt }: Extract<Reserved, { readonly _tag: "Refused" }>
  ) => {
    const available = availableOf(buckets)
    const fits = (model: Model) =>
      quoteReply(model, prompt.inputTokensAtMost, model.maxOutputTokens).atLeast <= available
    return new InsufficientCredits({
      required,
      available,
      allowance: buckets.allowance - buckets.heldAllowance,
      topup: buckets.topup - buckets.heldTopup,
      held: buckets.heldAllowance + buckets.heldTopup,
      debt: buckets.debt,
      nextResetAt: new Date(nextResetAt).toISOString(),
      affordableModels: modelsOfTier(catalog, account.tier)
        .filter(fits)
        .map((model) => model.id)
    })
  }

  return Effect.fnUntraced(function* ({ account, model, prompt, messageId, fingerprint }: ReserveReplyInput) {
    const quote = quoteReply(model, prompt.inputTokensAtMost, prompt.maxOutputTokens)
    const usage = { freshInput: prompt.inputTokensAtMost, cacheRead: 0, cacheWrite: 0, output: 0 }
    const reserved = yield* ledger
      .reserve({
        userId: account.userId,
        key: `reply:${messageId}`,
        content: fingerprint,
        amount: quote.amount,
        atLeast: quote.atLeast,
        ttlMs: HOLD_TTL_MS,
        draft: { model: model.id, price: modelPrice(model), usage, estimated: true, ended: "expired" }
      })
      .pipe(Effect.catchTag(["AccountNotFound", "InvalidAmount"], Effect.die))
    if (reserved._tag === "Refused") return yield* refusal(account, prompt, quote.atLeast, reserved)
    const { hold, replayed, state } = reserved
    const maxOutputTokens = quote.outputTokensFor(hold.amount)
    return { hold, earlier: replayed ? state : undefined, maxOutputTokens, limited: hold.amount < quote.amount }
  })
})
