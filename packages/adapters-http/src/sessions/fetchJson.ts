import { Effect } from "effect"
import { KeySetUnavailable } from "./KeySetUnavailable.ts"

/** Key sets have a few kilobytes. */
const MOST_BYTES = 256 * 1024

/** The text of a response, read up to a bound; a larger one is not read to its end. */
const boundedText = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > MOST_BYTES) throw new KeySetUnavailable({ problem: "too-large" })
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

const read = async (url: string, signal: AbortSignal): Promise<unknown> => {
  const response = await fetch(url, { signal, redirect: "manual", headers: { accept: "application/json" } })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new KeySetUnavailable({ problem: "status", detail: String(response.status) })
  }
  const text = await boundedText(response)
  try {
    return JSON.parse(text)
  } catch {
    throw new KeySetUnavailable({ problem: "not-json" })
  }
}

/** The platform's `fetch` reports a failed connection in the cause of its error. */
const failureOf = (error: unknown): KeySetUnavailable => {
  if (error instanceof KeySetUnavailable) return error
  const { code } = ((error as Error).cause ?? error) as { readonly code?: unknown }
  const isCode = typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code)
  return new KeySetUnavailable({ problem: "unreachable", ...(isCode ? { detail: code } : {}) })
}

/**
 * True if a connection broke that may have been kept alive since an earlier fetch: the provider may still be
 * reachable.
 */
const isBroken = ({ detail }: KeySetUnavailable): boolean => detail === "UND_ERR_SOCKET" || detail === "ECONNRESET"

/** The JSON that a provider publishes at an address, of bounded size; redirects are not followed. */
export const fetchJson = (url: string): Effect.Effect<unknown, KeySetUnavailable> =>
  Effect.tryPromise({ try: (signal) => read(url, signal), catch: failureOf }).pipe(
    Effect.retry({ times: 1, while: isBroken })
  )
