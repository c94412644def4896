import { answered, chunk, type CompatibleServer, done, streamed, takesAll, told, usageOf } from "./CompatibleServer.ts"

const completion = {
  id: "1",
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "Hello there", reasoning_content: "Think." },
      logprobs: null,
      finish_reason: "stop"
    }
  ],
  ...told(20, 3, { prompt_cache_hit_tokens: 12, prompt_cache_miss_tokens: 8 })
}

/**
 * Keeps a waiting connection alive with comments, or with blank lines before a JSON response; sends thoughts beside
 * its words; reports cached tokens in fields of its own, with its end.
 */
export const deepSeek: CompatibleServer = {
  name: "DeepSeek",
  refuses: takesAll,
  answer: () =>
    streamed(
      ": keep-alive\n\n".repeat(4),
      chunk({ role: "assistant", content: null, reasoning_content: "Think." }),
      chunk({ content: "Hello", reasoning_content: null }),
      ": keep-alive\n\n",
      chunk({ content: " there", reasoning_content: null }),
      chunk(
        { content: "", reasoning_content: null },
        "stop",
        told(20, 3, { prompt_cache_hit_tokens: 12, prompt_cache_miss_tokens: 8 })
      ),
      done
    ),
  text: "Hello there",
  usage: usageOf(8, 3, 12),
  without: [],
  troubles: [
    {
      what: "a reply that it ran out of resources for",
      answer: streamed(chunk({ content: "Hel" }), chunk({ content: "" }, "insufficient_system_resource"), done),
      reason: "unavailable"
    },
    {
      what: "an empty balance",
      answer: answered("402 Payment Required", {
        error: { message: "Insufficient Balance", type: "unknown_error", param: null, code: "invalid_request_error" }
      }),
      reason: "misconfigured",
      fault: "credit"
    },
    {
      what: "a prompt that it will not read",
      answer: answered("400 Bad Request", {
        error: {
          message: "Content Exists Risk",
          type: "invalid_request_error",
          param: null,
          code: "invalid_request_error"
        }
      }),
      reason: "refused"
    },
    {
      what: "a model that it does not know",
      answer: answered("400 Bad Request", {
        error: { message: "Model Not Exist", type: "invalid_request_error", param: null, code: "invalid_request_error" }
      }),
      reason: "misconfigured",
      fault: "vendorModel"
    }
  ]
}

/** The same for a streaming request that it answers with JSON. */
export const deepSeekInOnePiece: CompatibleServer = {
  ...deepSeek,
  name: "DeepSeek, in one piece",
  answer: () => answered("200 OK", `\n\n\n${JSON.stringify(completion)}`),
  troubles: []
}
