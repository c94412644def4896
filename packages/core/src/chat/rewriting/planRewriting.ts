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
 * The upper bound of a passage's tokens is rarely more than this many times their estimate, by which passages are
 * chosen. Need not be exact, because a prompt that exceeds the room is not used.
 */
const BOUND_OF_COUNT = 2.5

/** A planned rewrite of a question: it is run after credits were held for the rewrite and for the reply. */
export interface Rewriting {
  /** The maximum cost of the rewrite, in whole credits. */
  readonly bound: number
  /** The number of tokens by which the passages that are found for the rewrite may enlarge the prompt. */
  readonly roomTokens: number
  /**
   * Rewrites the question, searches for the rewrite, and returns the calls for the reply's model; `hold` covers both.
   * Returns undefined, and costs nothing, if there is no rewrite, if its passages cannot be read, or if their prompt
   * could cost more than is held; the reply is then made from the original prompt.
   */
  revise(hold: Hold): Effect.Effect<RevisedReply | undefined>
}

const NOT_REVISED = "The passages of a rewritten question could not be read; its reply goes on without them."

/** Plans the rewrite of a question that continues a conversation, if `RewriteQuestions` is on. */
export const makePlanRewriting = Effect.map(makePlanRewrite, (planRewrite) =>
  Effect.fnUntraced(function* (question: {
    readonly tier: Tier
    readonly conversation: ReadonlyArray<ChatMessage>
    readonly passageTokens: number
    /** Finds the passages for a rewrite, and returns them together with those of the question. */
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
