import { answered, chunk, type CompatibleServer, done, has, streamed, told, usageOf } from "./CompatibleServer.ts"

const forbidden = (...names: ReadonlyArray<string>) =>
  answered("422 Unprocessable Entity", {
    object: "error",
    message: {
      detail: names.map((name) => ({
        type: "extra_forbidden",
        loc: ["body", name],
        msg: "Extra inputs are not permitted",
        input: 32_000
      }))
    },
    type: "invalid_request_error",
    param: null,
    code: null
  })

const STRANGE = ["max_completion_tokens", "stream_options"]

const thinking = (text: string) => [{ type: "thinking", thinking: [{ type: "text", text }] }]

/** Refuses unknown parameters; its content may be a list of parts; reports usage with its end, unrequested. */
export const mistral: CompatibleServer = {
  name: "Mistral",
  refuses: (body) => {
    const strange = STRANGE.filter((name) => has(body, name))
    return strange.length === 0 ? undefined : forbidden(...strange)
  },
  answer: () =>
    streamed(
      chunk({ role: "assistant", content: "" }),
      chunk({ content: thinking("'s a greeting") }),
      chunk({
        content: [
          { type: "text", text: "Hello" },
          { type: "reference", reference_ids: [1] }
        ]
      }),
      chunk({ content: " there" }),
      chunk({ content: "" }, "stop", told(12, 3)),
      done
    ),
  text: "Hello there",
  usage: usageOf(12, 3),
  without: ["max_completion_tokens", "stream_options"],
  troubles: [
    {
      what: "an unknown model",
      answer: answered("400 Bad Request", {
        object: "error",
        message: "Invalid model: m",
        type: "invalid_model",
        param: null,
        code: "1500"
      }),
      reason: "misconfigured",
      fault: "vendorModel"
    },
    {
      what: "a wrong key, in a form of its own",
      answer: answered("401 Unauthorized", { detail: "Unauthorized" }),
      reason: "misconfigured",
      fault: "key"
    },
    {
      what: "an effort that a model does not take, as a text",
      answer: answered("400 Bad Request", "reasoning_effort is not enabled for this model"),
      reason: "misconfigured",
      fault: "reasoning_effort"
    },
    {
      what: "an end that is an error",
      answer: streamed(chunk({ content: "Hel" }), chunk({}, "error"), done),
      reason: "unavailable"
    }
  ]
}
