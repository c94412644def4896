import {
  answered,
  chunk,
  type CompatibleServer,
  done,
  event,
  has,
  streamed,
  told,
  usageOf
} from "./CompatibleServer.ts"

const extra = (name: string) =>
  answered("400 Bad Request", {
    object: "error",
    message: `[{'type': 'extra_forbidden', 'loc': ('body', '${name}'), 'msg': 'Extra inputs are not permitted', 'input': 8192}]`,
    type: "BadRequestError",
    param: null,
    code: 400
  })

/** Versions that check requests strictly refuse the newer limit; usage comes with `choices` of null in some. */
export const vllm: CompatibleServer = {
  name: "vLLM",
  refuses: (body) => (has(body, "max_completion_tokens") ? extra("max_completion_tokens") : undefined),
  answer: () =>
    streamed(
      chunk({ role: "assistant", content: "" }),
      chunk({ reasoning_content: "Let me think." }),
      chunk({ content: "Hello" }),
      chunk({ content: " there" }),
      chunk({ content: "" }, "stop", { stop_reason: null }),
      event({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        choices: null,
        ...told(9, 4, { prompt_tokens_details: null })
      }),
      done
    ),
  text: "Hello there",
  usage: usageOf(9, 4),
  without: ["max_completion_tokens"],
  troubles: [
    {
      what: "an error within the stream, which it ends as if nothing were wrong",
      answer: streamed(
        chunk({ content: "Hel" }),
        event({ error: { message: "EngineCore died", type: "InternalServerError", param: null, code: 500 } }),
        done
      ),
      reason: "unavailable"
    },
    {
      what: "an error within the stream, in its older form",
      answer: streamed(
        event({ object: "error", message: "bad", type: "BadRequestError", param: "reasoning_effort", code: 400 }),
        done
      ),
      reason: "misconfigured",
      fault: "reasoning_effort"
    },
    {
      what: "a reply that its engine gave up, and its end mark",
      answer: streamed(chunk({ content: "Hel" }), chunk({ content: "" }, "abort"), done),
      reason: "unavailable"
    },
    {
      what: "a prompt beyond its window",
      answer: answered("400 Bad Request", {
        error: {
          message: "'max_tokens' is too large: 4096. This model's maximum context length is 2048 tokens.",
          type: "BadRequestError",
          param: "max_tokens",
          code: 400
        }
      }),
      reason: "misconfigured",
      fault: "contextTokens"
    }
  ]
}
