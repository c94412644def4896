import { timingSafeEqual } from "node:crypto"
import { days } from "../books/calendar.ts"
import { isOldVersion, STAND_IN_GENERATIONS, type StandInBooks } from "../books/StandInBooks.ts"
import { answerApi } from "./apiRoutes.ts"
import { ApiRefusal } from "./ApiRefusal.ts"
import { parseForm } from "./formBody.ts"

export interface ApiOptions {
  readonly books: StandInBooks
  /** The only key that is accepted in requests. */
  readonly apiKey: string
  /** True while the stand-in plays an outage. */
  readonly isDown: () => boolean
}

interface Answer {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

const refusalAnswer = (refusal: ApiRefusal): Answer => ({ status: refusal.status, body: JSON.stringify(refusal.body) })

const isKey = (header: string | null, apiKey: string): boolean => {
  const [given, right] = [Buffer.from(header ?? ""), Buffer.from(`Bearer ${apiKey}`)]
  return given.length === right.length && timingSafeEqual(given, right)
}

/** The days for which responses to idempotency keys are stored, as at Stripe. */
const KEYS_KEPT_DAYS = 1

const forgetKeys = ({ state }: StandInBooks, now: number): void => {
  for (const [key, { created }] of Object.entries(state.keys)) {
    if (created < now - days(KEYS_KEPT_DAYS)) delete state.keys[key]
  }
}

/**
 * Answers a request with an idempotency key. If the same request comes again, returns its first response; another
 * request with the same key is refused.
 */
const answerOnce = (books: StandInBooks, key: string, request: string, answer: () => Answer): Answer => {
  const now = books.now()
  forgetKeys(books, now)
  const kept = books.state.keys[key]
  if (kept !== undefined && kept.request !== request) {
    const message = "Keys for idempotent requests can only be used with the same parameters they were first used with."
    return refusalAnswer(new ApiRefusal(400, "idempotency_error", message))
  }
  if (kept !== undefined) return { ...kept, headers: { "idempotent-replayed": "true" } }
  const first = answer()
  // Stripe does not store the response to a request that it refused before it began to process it.
  if (first.status < 400) books.state.keys[key] = { request, status: first.status, body: first.body, created: now }
  return first
}

/** Answers a request of Stripe's SDK. `path` is the part of the address after `/v1/`. */
export const answerRequest = async (
  { apiKey, books, isDown }: ApiOptions,
  request: Request,
  path: string
): Promise<Response> => {
  const body = await request.text()
  const { method } = request
  const form = parseForm(method === "GET" ? new URL(request.url).search : body)
  const isOld = isOldVersion(request.headers.get("stripe-version") ?? STAND_IN_GENERATIONS[1])
  const answer = (): Answer => {
    try {
      return { status: 200, body: JSON.stringify(answerApi(books, { method, path, form, view: { books, isOld } })) }
    } catch (error) {
      if (error instanceof ApiRefusal) return refusalAnswer(error)
      throw error
    }
  }
  const answered = (): Answer => {
    if (isDown()) return refusalAnswer(new ApiRefusal(503, "api_error", "The stand-in is out of order."))
    if (!isKey(request.headers.get("authorization"), apiKey)) {
      return refusalAnswer(new ApiRefusal(401, "invalid_request_error", "Invalid API Key provided."))
    }
    const key = request.headers.get("idempotency-key")
    return method === "POST" && key !== null ? answerOnce(books, key, `${path}?${body}`, answer) : answer()
  }
  const { body: text, headers, status } = answered()
  const requestId = books.newId("req")
  return new Response(text, {
    status,
    headers: { "content-type": "application/json", "request-id": requestId, ...headers }
  })
}
