import { firstBytes } from "./readBounded.ts"
import { VendorRedirected, VendorRefusal } from "./VendorRefusal.ts"

/** A vendor's error fits into a few hundred bytes; at most this much is read, after decompression. */
const MAX_ERROR_BYTES = 64 * 1024

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** `fetch` reports a forbidden redirect by this message; it has no code for it. */
const isRedirect = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && error.cause.message === "unexpected redirect"

/**
 * The `fetch` for vendors' SDKs. It follows no redirect, which would send the key to another server
 * (`VendorRedirected`), and reads the body of an error response up to a bound (`VendorRefusal`); the SDKs would read
 * all of it.
 */
export const vendorFetch: typeof fetch = async (input, init) => {
  let response: Response
  try {
    response = await fetch(input, { ...init, redirect: "error" })
  } catch (error) {
    throw isRedirect(error) ? new VendorRedirected("The vendor's address leads elsewhere.") : error
  }
  if (response.ok) return response
  // If the connection breaks after the head, the status is enough.
  const bytes = await firstBytes(response, MAX_ERROR_BYTES, init?.signal ?? undefined).catch(() => new Uint8Array())
  const text = new TextDecoder().decode(bytes)
  throw new VendorRefusal(response.status, response.headers, parsed(text))
}
