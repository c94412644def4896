import { Effect } from "effect"
import { KeySetUnavailable } from "./KeySetUnavailable.ts"

/** The largest response that is read: key sets have a few kilobytes. */
const MOST_BYTES = 256 * 1024

/** Reads the text of a response; fails at `MOST_BYTES` without reading the rest. */
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

/** Converts an error of `fetch`, which reports a failed connection in `cause`. */
const failureOf = (error: unknown): KeySetUnavailable => {
  if (error instanceof KeySetUnavailable) return error
  const { code } = ((error as Error).cause ?? error) as { readonly code?: unknown }
  const isCode = typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code)
  return new KeySetUnavailable({ problem: "unreachable", ...(isCode ? { detail: code } : {}) })
}

/** True if a kept-alive connection of an earlier fetch broke, so that the provider may still be reachable. */
const isBroken = ({ detail }: KeySetUnavailable): boolean => detail === "UND_ERR_SOCKET" || detail === "ECONNRESET"

/** Fetches the JSON at an address of the identity provider, with a bounded size; redirects are not followed. */
export const fetchJson = (url: string): Effect.Effect<unknown, KeySetUnavailable> =>
  Effect.tryPromise({ try: (signal) => read(url, signal), catch: failureOf }).pipe(
    Effect.retry({ times: 1, while: isBroken })
  )
