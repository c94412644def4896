import { Effect } from "effect"
import type { Hold } from "../../credits/holds/Hold.ts"
import type { ChatMessage } from "../../models/ChatMessage.ts"
import { failureFields } from "../../storage/failureFields.ts"
import type { StorageFailed } from "../../storage/StorageFailed.ts"
import type { Tier } from "../../tiers/Tier.ts"
import type { PromptBuilderFailed, PromptTooLong } from "../errors.ts"
import type { Prompt } from "../prompt/prompt.ts"
import type { RevisedReply } from "../reply/Reply.ts"
import { callsCoveredBy, type ReserveReplyInput } from "../reply/replyCredits.ts"
import type { OfferedPassages } from "../sources/findSources.ts"
import { makePlanRewrite } from "./rewriteQuestion.ts"
import { RewriteQuestions } from "./RewriteQuestions.ts"

/**
 * Passages are chosen by the usual count of their tokens; their upper bound is rarely more than this many times that. A
 * prompt that exceeds the room is not used, so that this needs not be exact.
 */
const BOUND_OF_COUNT = 2.5

/** A rewrite of a question that is asked for once credits are held for it and for what follows it. */
export interface Rewriting {
  /** The most that the rewrite costs, in whole credits. */
  readonly bound: number
  /** The tokens by which the prompt may grow with the passages that are found for the rewrite. */
  readonly roomTokens: number
  /**
   * Has the question rewritten and searched for, and returns what the reply's model is then asked: `hold` covers both. Undefined, and
   * free, if there is no rewrite, its passages cannot be read, or their prompt could cost more than is held: the reply is
   * then as it was prepared.
   */
  revise(hold: Hold): Effect.Effect<RevisedReply | undefined>
}

const NOT_REVISED = "The passages of a rewritten question could not be read; its reply goes on without them."

/** Plans the rewrite of a question that continues a conversation, if the setting asks for it. */
export const makePlanRewriting = Effect.map(makePlanRewrite, (planRewrite) =>
  Effect.fnUntraced(function* (question: {
    readonly tier: Tier
    readonly conversation: ReadonlyArray<ChatMessage>
    readonly passageTokens: number
    /** Finds the passages for a rewrite, beside those of the question. */
    readonly besides: NonNullable<OfferedPassages["besides"]>
    readonly promptOf: (
      offered: OfferedPassages
    ) => Effect.Effect<
      { readonly prompt: Prompt; readonly unread: ReadonlyArray<string> } & Pick<ReserveReplyInput, "candidates">,
      PromptBuilderFailed | PromptTooLong
    >
  }): Effect.fn.Return<Rewriting | undefined> {
    const { besides, passageTokens, promptOf } = question
    if (!(yield* RewriteQuestions)) return undefined
    const planned = yield* planRewrite(question.tier.name, question.conversation)
    if (planned === undefined) return undefined

    const revise = Effect.fnUntraced(function* ({
      amount,
      key
    }: Hold): Effect.fn.Return<RevisedReply | undefined, PromptBuilderFailed | PromptTooLong | StorageFailed> {
      const rewritten = yield* planned.ask(key)
      if (rewritten === undefined) return undefined
      const { candidates, prompt, unread } = yield* promptOf(yield* besides(rewritten.question))
      const calls = callsCoveredBy(candidates, prompt, amount - rewritten.receipt.credits)
      return calls && { calls, sources: prompt.sources, unread, rewrite: rewritten.receipt }
    })
    return {
      bound: planned.bound,
      roomTokens: Math.ceil(BOUND_OF_COUNT * passageTokens),
      revise: (hold) =>
        Effect.catch(revise(hold), (failed) =>
          Effect.as(Effect.annotateLogs(Effect.logWarning(NOT_REVISED), failureFields(failed)), undefined)
        )
    }
  })
)
