import { Context, Schema } from "effect"
import { fromVariable } from "../../storage/settingVariables.ts"

/**
 * True if the cheapest model of the payer's tier rewrites questions that continue a conversation, for the search in the
 * documents. False unless configured, because each rewrite costs credits and time.
 */
export class RewriteQuestions extends Context.Reference<boolean>("@parley/core/chat/rewriting/RewriteQuestions", {
  defaultValue: () => false
}) {
  static readonly schema = fromVariable(Schema.Boolean, {
    name: "PARLEY_REWRITE_QUESTIONS",
    // `off` has the same meaning as an unset variable.
    words: { on: true, off: undefined }
  })
}
