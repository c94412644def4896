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

const says = (content: string, finish: string | null = null) =>
  chunk({ role: "assistant", content }, finish, { system_fingerprint: "fp_ollama" })

/** Repeats the role in every delta, and reports usage behind the end if requested. Ignores unknown parameters. */
export const ollama: CompatibleServer = {
  name: "Ollama",
  refuses: takesAll,
  answer: () =>
    streamed(
      says("Hello"),
      chunk({ role: "assistant", content: "", reasoning: "Thinking." }, null, { system_fingerprint: "fp_ollama" }),
      says(" there"),
      says("", "stop"),
      event({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [], ...told(26, 3) }),
      done
    ),
  text: "Hello there",
  usage: usageOf(26, 3),
  without: [],
  troubles: [
    {
      what: "a model that was not pulled",
      answer: answered("404 Not Found", {
        error: { message: 'model "m" not found, try pulling it first', type: "api_error", param: null, code: null }
      }),
      reason: "misconfigured",
      fault: "vendorModel"
    },
    {
      what: "an error as a text",
      answer: answered("500 Internal Server Error", { error: "model requires more system memory than is available" }),
      reason: "unavailable"
    },
    {
      what: "an error as a text within the stream",
      answer: streamed(says("Hel"), event({ error: "an error was encountered while running the model" })),
      reason: "unavailable"
    }
  ]
}
