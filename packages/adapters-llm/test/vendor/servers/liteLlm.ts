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

const unsupported = (name: string) =>
  answered("400 Bad Request", {
    error: {
      message: `litellm.UnsupportedParamsError: openai does not support parameters: ['${name}'], for model=m. To drop these, set \`litellm.drop_params=True\``,
      type: "None",
      param: "None",
      code: "400"
    }
  })

/** Checks parameters for the model behind it, one kind at a time; writes "None" for a missing value. */
export const liteLlm: CompatibleServer = {
  name: "LiteLLM",
  refuses: (body) => {
    if (has(body, "reasoning_effort")) return unsupported("reasoning_effort")
    return has(body, "max_tokens") && has(body, "max_completion_tokens")
      ? answered("400 Bad Request", {
          error: {
            message:
              'litellm.BadRequestError: OpenAIException - {"error": {"message": "Setting \'max_tokens\' and \'max_completion_tokens\' at the same time is not supported.", "param": "max_tokens"}}',
            type: "invalid_request_error",
            param: null,
            code: "400"
          }
        })
      : undefined
  },
  answer: () =>
    streamed(
      chunk({ content: "Hello", role: "assistant" }),
      chunk({ content: " there" }),
      chunk({}, "stop"),
      chunk({}, null, told(9, 3, { prompt_tokens_details: { cached_tokens: 4 }, completion_tokens_details: null })),
      done
    ),
  text: "Hello there",
  usage: usageOf(5, 3, 4),
  without: ["reasoning_effort", "max_tokens"],
  troubles: [
    {
      what: "an error of the model behind it, within the stream",
      answer: streamed(
        chunk({ content: "Hel" }),
        event({ error: { message: "litellm.APIConnectionError: no", type: "None", param: "None", code: "500" } }),
        done
      ),
      reason: "unavailable"
    },
    {
      what: "a model that it does not know",
      answer: answered("400 Bad Request", {
        error: {
          message: "chat_completions: Invalid model name passed in model=m. Call `/v1/models` to view available models",
          type: "invalid_request_error",
          param: "None",
          code: "400"
        }
      }),
      reason: "misconfigured",
      fault: "vendorModel"
    },
    {
      what: "a budget that is used up",
      answer: answered("400 Bad Request", {
        error: { message: "Budget has been exceeded! billing limit", type: "budget_exceeded", param: null, code: "400" }
      }),
      reason: "misconfigured",
      fault: "credit"
    },
    { what: "nothing where an answer should be", answer: answered("200 OK", "null"), reason: "bad-answer" }
  ]
}
