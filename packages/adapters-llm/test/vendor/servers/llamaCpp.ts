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

const timings = { prompt_n: 10, prompt_ms: 251.51, predicted_n: 3, predicted_ms: 407.6, predicted_per_second: 68.7 }

/** Begins with a content of null and adds its timings. Its errors carry the status as a number. */
export const llamaCpp: CompatibleServer = {
  name: "llama.cpp",
  refuses: takesAll,
  answer: () =>
    streamed(
      chunk({ role: "assistant", content: null }),
      chunk({ reasoning_content: " it" }, null, { timings }),
      chunk({ content: "Hello" }),
      chunk({ content: " there" }),
      chunk({}, "stop"),
      event({ choices: [], object: "chat.completion.chunk", ...told(17, 3), timings }),
      done
    ),
  text: "Hello there",
  usage: usageOf(17, 3),
  without: [],
  troubles: [
    {
      what: "a prompt beyond its window",
      answer: answered("400 Bad Request", {
        error: {
          code: 400,
          message: "request (4390 tokens) exceeds the available context size (4096 tokens), try increasing it",
          type: "exceed_context_size_error",
          n_prompt_tokens: 4390,
          n_ctx: 4096
        }
      }),
      reason: "misconfigured",
      fault: "contextTokens"
    },
    {
      what: "the same with status 200",
      answer: answered("200 OK", {
        error: {
          code: 400,
          message: "the request exceeds the available context size",
          type: "exceed_context_size_error"
        }
      }),
      reason: "misconfigured",
      fault: "contextTokens"
    },
    {
      what: "a model that is still loading",
      answer: answered("503 Service Unavailable", {
        error: { code: 503, message: "Loading model", type: "unavailable_error" }
      }),
      reason: "unavailable"
    },
    {
      what: "a task that was killed within the stream",
      answer: streamed(
        chunk({ content: "Hel" }),
        event({ error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } })
      ),
      reason: "unavailable"
    }
  ]
}
