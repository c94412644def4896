import { type Challenge, type ChallengeAnswer, ChallengeUnavailable } from "@parley/core/adapter"
import { Effect, Redacted } from "effect"

/** The settings of one widget of Cloudflare Turnstile. */
export interface TurnstileOptions {
  /** The public key, which is part of the page that shows the challenge. */
  readonly siteKey: string
  readonly secretKey: Redacted.Redacted<string>
  /** Another address with the `siteverify` protocol, for tests; default: Cloudflare's. */
  readonly verifyUrl?: string | undefined
  /** Longest time to wait for Cloudflare, in milliseconds; default 5,000. */
  readonly timeoutMs?: number | undefined
}

const VERIFY_URL = "https://challenges.cloudflare.com/turnstile/v0/siteverify"
const ORIGIN = "https://challenges.cloudflare.com"
const TIMEOUT_MS = 5_000
/** The largest response that is read: a regular one has a few hundred bytes. */
const MAX_ANSWER_BYTES = 64 * 1024
/** The longest token, by Cloudflare's reference of `siteverify`. Longer texts are refused without asking Cloudflare. */
const MAX_TOKEN = 2_048

/** Error codes about this server's settings, not about the token. */
const MISCONFIGURED: ReadonlySet<unknown> = new Set(["missing-input-secret", "invalid-input-secret"])
const OWN_FAILURE = "internal-error"

interface SiteVerify {
  readonly success?: unknown
  readonly "error-codes"?: unknown
}

const unavailable = (reason: ChallengeUnavailable["reason"], cause?: unknown) =>
  new ChallengeUnavailable({ reason, ...(cause === undefined ? {} : { cause }) })

/** Reads the text of a response, up to `MAX_ANSWER_BYTES`. */
const textOf = async (response: Response): Promise<string> => {
  const reader = response.body?.getReader()
  const pieces: Array<Uint8Array> = []
  let left = MAX_ANSWER_BYTES
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done || value === undefined) return Buffer.concat(pieces).toString("utf8")
    left -= value.byteLength
    if (left < 0) {
      void reader?.cancel().catch(() => undefined)
      throw unavailable("bad-answer")
    }
    pieces.push(value)
  }
}

/** True if the response says that the token is valid. */
const isSolved = (text: string): boolean => {
  const { "error-codes": codes, success } = Object(JSON.parse(text)) as SiteVerify
  if (success === true) return true
  const reported = Array.isArray(codes) ? codes : []
  if (reported.some((code) => MISCONFIGURED.has(code))) throw unavailable("misconfigured")
  if (success !== false || reported.includes(OWN_FAILURE)) throw unavailable("bad-answer")
  return false
}

/** Verifies tokens of Cloudflare Turnstile. Cloudflare accepts each token once, and for five minutes. */
export const TurnstileChallenge = (options: TurnstileOptions): Challenge => {
  const { secretKey, siteKey, timeoutMs = TIMEOUT_MS, verifyUrl = VERIFY_URL } = options
  const ask = async ({ address, token }: ChallengeAnswer, signal: AbortSignal): Promise<boolean> => {
    const form = new URLSearchParams({ secret: Redacted.value(secretKey), response: token })
    if (address !== undefined) form.set("remoteip", address)
    const response = await fetch(verifyUrl, { method: "POST", body: form, redirect: "error", signal })
    // A refusal with a status below 500 has the usual body, which names the reason.
    if (response.status >= 500) throw unavailable("bad-answer")
    return isSolved(await textOf(response))
  }
  const failureOf = (cause: unknown): ChallengeUnavailable => {
    if (cause instanceof ChallengeUnavailable) return cause
    return unavailable(cause instanceof SyntaxError ? "bad-answer" : "unreachable", cause)
  }
  return {
    shown: { kind: "turnstile", siteKey },
    origin: ORIGIN,
    verify: (answer) =>
      answer.token.trim() === "" || answer.token.length > MAX_TOKEN
        ? Effect.succeed(false)
        : Effect.tryPromise({
            try: (signal) => ask(answer, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])),
            catch: failureOf
          })
  }
}
