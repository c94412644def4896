import { answered, chunk, type CompatibleServer, done, event, has, streamed, usageOf } from "./CompatibleServer.ts"

const times = { queue_time: 0.075, prompt_time: 0.006, completion_time: 0.022, total_time: 0.028 }

/** Reports usage in a field of its own in the last chunk; not every model accepts an effort. */
export const groq: CompatibleServer = {
  name: "Groq",
  refuses: (body) =>
    has(body, "reasoning_effort")
      ? answered("400 Bad Request", {
          error: {
            message: "`reasoning_effort` must be one of `none` or `default`",
            type: "invalid_request_error",
            param: "reasoning_effort"
          }
        })
      : undefined,
  answer: () =>
    streamed(
      chunk({ role: "assistant", content: "" }, null, { x_groq: { id: "req_01" } }),
      chunk({ content: "Hello" }),
      chunk({ content: " there" }),
      chunk({}, "stop", {
        x_groq: { id: "req_01", usage: { ...times, prompt_tokens: 23, completion_tokens: 3, total_tokens: 26 } }
      }),
      done
    ),
  text: "Hello there",
  usage: usageOf(23, 3),
  without: ["reasoning_effort"],
  troubles: [
    {
      what: "an error in its own field",
      answer: streamed(
        chunk({ content: "Hel" }),
        event({ choices: [], x_groq: { id: "req_01", error: "over_capacity" } })
      ),
      reason: "unavailable"
    },
    {
      what: "its capacity, by a status of its own",
      answer: answered("498 Flex Tier Capacity Exceeded", {
        error: { message: "Flex tier capacity exceeded", type: "flex_tier_capacity_exceeded" }
      }),
      reason: "rate-limited"
    },
    {
      what: "a model that is gone",
      answer: answered("404 Not Found", {
        error: { message: "The model `m` does not exist", type: "invalid_request_error", code: "model_not_found" }
      }),
      reason: "misconfigured",
      fault: "vendorModel"
    }
  ]
}
