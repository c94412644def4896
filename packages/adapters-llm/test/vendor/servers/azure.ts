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

const safe = { hate: { filtered: false, severity: "safe" }, violence: { filtered: false, severity: "safe" } }
const delta = (content: string, finish: string | null = null) =>
  event({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: { content }, finish_reason: finish, content_filter_results: safe, logprobs: null }],
    usage: null
  })

/**
 * Begins with its filter's results for the prompt, without a choice; further filter results come between the words.
 */
export const azure: CompatibleServer = {
  name: "Azure OpenAI",
  refuses: (body) =>
    has(body, "max_tokens")
      ? answered("400 Bad Request", {
          error: {
            message:
              "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            type: "invalid_request_error",
            param: "max_tokens",
            code: "unsupported_parameter"
          }
        })
      : undefined,
  answer: () =>
    streamed(
      event({
        choices: [],
        created: 0,
        id: "",
        model: "",
        object: "",
        prompt_filter_results: [
          { prompt_index: 0, content_filter_results: { ...safe, jailbreak: { detected: false } } }
        ]
      }),
      chunk({ role: "assistant", content: "", refusal: null }, null, { usage: null }),
      delta("Hello"),
      event({
        id: "",
        object: "",
        choices: [
          { content_filter_offsets: { check_offset: 0 }, content_filter_results: safe, finish_reason: null, index: 0 }
        ]
      }),
      delta(" there"),
      delta("", "stop"),
      event({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [], ...told(11, 3) }),
      done
    ),
  text: "Hello there",
  usage: usageOf(11, 3),
  without: ["max_tokens"],
  troubles: [
    {
      what: "a prompt that its filter stops",
      answer: answered("400 Bad Request", {
        error: {
          message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
          type: null,
          param: "prompt",
          code: "content_filter",
          status: 400,
          innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: { hate: { filtered: true } } }
        }
      }),
      reason: "refused"
    },
    {
      what: "words that its filter stops",
      answer: streamed(delta("Hel"), delta("", "content_filter")),
      reason: "refused"
    },
    {
      what: "a deployment that does not exist",
      answer: answered("404 Not Found", {
        error: { code: "DeploymentNotFound", message: "The API deployment for this resource does not exist." }
      }),
      reason: "misconfigured",
      fault: "vendorModel"
    },
    {
      what: "a key of another resource",
      answer: answered("401 Unauthorized", {
        error: { code: "401", message: "Access denied due to invalid subscription key or wrong API endpoint." }
      }),
      reason: "misconfigured",
      fault: "key"
    },
    {
      what: "its rate limit",
      answer: answered(
        "429 Too Many Requests",
        { error: { code: "429", message: "Requests have exceeded token rate limit of your current pricing tier." } },
        { "retry-after": "17" }
      ),
      reason: "rate-limited"
    }
  ]
}
