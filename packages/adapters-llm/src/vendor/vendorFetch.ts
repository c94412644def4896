import { firstBytes } from "./readBounded.ts"
import { VendorRedirected, VendorRefusal } from "./VendorRefusal.ts"

/** The most bytes of an error response that are read, after decompression. A vendor's error has a few hundred bytes. */
const MAX_ERROR_BYTES = 64 * 1024

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** True if `fetch` refused a redirect. It reports this only by the message, without a code. */
const isRedirect = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && error.cause.message === "unexpected redirect"

/**
 * The `fetch` that vendors' SDKs use. It follows no redirect, which would send the key to another server
 * (`VendorRedirected`), and reads the body of an error response only up to a limit (`VendorRefusal`); the SDKs would
 * read the whole body.
 */
export const vendorFetch: typeof fetch = async (input, init) => {
  let response: Response
  try {
    response = await fetch(input, { ...init, redirect: "error" })
  } catch (error) {
    throw isRedirect(error) ? new VendorRedirected("The vendor's address leads elsewhere.") : error
  }
  if (response.ok) return response
  // If the connection breaks after the head of the response, the status alone is used.
  const bytes = await firstBytes(response, MAX_ERROR_BYTES, init?.signal ?? undefined).catch(() => new Uint8Array())
  const text = new TextDecoder().decode(bytes)
  throw new VendorRefusal(response.status, response.headers, parsed(text))
}
