import { StripeAnswerTooLarge, StripeAnswerUnknown, StripeRedirected } from "./answerErrors.ts"
import { currentSignal } from "./abortScope.ts"

/** The most bytes of a response. A page of a hundred events with their objects has about one megabyte. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

/** True if `fetch` refused a redirect. It reports this only by its message, without a code. */
const isRedirect = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && error.cause.message === "unexpected redirect"

const boundedText = async (response: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let left = MAX_ANSWER_BYTES
  let text = ""
  for await (const chunk of response.body ?? []) {
    left -= chunk.length
    if (left < 0) throw new StripeAnswerTooLarge(`The answer has more than ${MAX_ANSWER_BYTES} bytes.`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** True if a text is a response of Stripe: a JSON object, which contains an error if the status is an error status. */
const isAnswer = (text: string, ok: boolean): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && "error" in value === !ok
  } catch {
    return false
  }
}

/**
 * The `fetch` that the SDK uses. It follows no redirect, which would send the key to another server. It limits the size
 * of responses. It passes only responses of Stripe to the SDK, which would take an error page of a proxy for the
 * requested object. It removes Stripe's notices to developers, which the SDK would write as warnings of the process.
 */
export const stripeFetch =
  (send: typeof fetch, basePath: string): typeof fetch =>
  async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    url.pathname = `${basePath}${url.pathname}`
    const signals = [init?.signal, currentSignal()].filter((signal) => signal != null)
    let response: Response
    try {
      response = await send(url, { ...init, redirect: "error", signal: AbortSignal.any(signals) })
    } catch (error) {
      throw isRedirect(error) ? new StripeRedirected("The payment provider's address leads elsewhere.") : error
    }
    const text = await boundedText(response)
    if (!isAnswer(text, response.ok)) throw new StripeAnswerUnknown(response.status, response.headers)
    const headers = new Headers(response.headers)
    for (const name of ["stripe-notice", "content-encoding", "content-length"]) headers.delete(name)
    return new Response(text, { status: response.status, headers })
  }
