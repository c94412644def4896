import {
  answered,
  chunk,
  type CompatibleServer,
  done,
  event,
  streamed,
  takesAll,
  told,
  usageOf
} from "./CompatibleServer.ts"

const waiting = ": OPENROUTER PROCESSING\n\n"

/** Sends comments while it waits, and reports the model's native reason and the cost. */
export const openRouter: CompatibleServer = {
  name: "OpenRouter",
  refuses: takesAll,
  answer: () =>
    streamed(
      waiting.repeat(3),
      chunk({ role: "assistant", content: "", reasoning: null }, null, { provider: "Somebody" }),
      chunk({ role: "assistant", content: "Hello" }, null, { provider: "Somebody" }),
      waiting,
      chunk({ role: "assistant", content: " there" }, null, { provider: "Somebody" }),
      chunk({ role: "assistant", content: "" }, "stop", { provider: "Somebody", native_finish_reason: "end_turn" }),
      chunk({ role: "assistant", content: "" }, null, told(14, 3, { cost: 0.00014, is_byok: false })),
      done
    ),
  text: "Hello there",
  usage: usageOf(14, 3),
  without: [],
  troubles: [
    {
      what: "a provider that fails within the stream",
      answer: streamed(
        waiting,
        chunk({ content: "Hel" }),
        event({
          id: "gen-1",
          object: "chat.completion.chunk",
          error: { code: 502, message: "Provider disconnected unexpectedly" },
          choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }]
        }),
        done
      ),
      reason: "unavailable"
    },
    {
      what: "a provider's rate limit within the stream",
      answer: streamed(waiting, event({ error: { code: 429, message: "Rate limit exceeded" }, choices: [] })),
      reason: "rate-limited"
    },
    {
      what: "an error in JSON with status 200",
      answer: answered("200 OK", { error: { code: 503, message: "No provider available" }, user_id: "u" }),
      reason: "unavailable"
    },
    {
      what: "no credits",
      answer: answered("402 Payment Required", { error: { code: 402, message: "Insufficient credits" } }),
      reason: "misconfigured",
      fault: "credit"
    },
    {
      what: "a prompt that its moderation stops",
      answer: answered("403 Forbidden", {
        error: {
          code: 403,
          message: "Input was flagged",
          metadata: { reasons: ["violence"], flagged_input: "vendor text", provider_name: "Somebody", model_slug: "m" }
        }
      }),
      reason: "refused"
    },
    {
      what: "a model that it does not know",
      answer: answered("400 Bad Request", { error: { code: 400, message: "m is not a valid model ID" } }),
      reason: "misconfigured",
      fault: "vendorModel"
    }
  ]
}
