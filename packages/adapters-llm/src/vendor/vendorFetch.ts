import { firstBytes } from "./readBounded.ts"
import { VendorRedirected, VendorRefusal } from "./VendorRefusal.ts"

/** What vendors say of an error fits into a few hundred bytes; nothing is read beyond this, decompressed. */
const MAX_ERROR_BYTES = 64 * 1024

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** How `fetch` calls a redirect where none is allowed; it has no name for it. */
const isRedirect = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && error.cause.message === "unexpected redirect"

/**
 * The `fetch` that vendors' SDKs are given. It follows no redirect, which would take the key elsewhere
 * (`VendorRedirected`), and reads what an error status says itself, up to a bound (`VendorRefusal`): the SDKs read it whole.
 */
export const vendorFetch: typeof fetch = async (input, init) => {
  let response: Response
  try {
    response = await fetch(input, { ...init, redirect: "error" })
  } catch (error) {
    throw isRedirect(error) ? new VendorRedirected("The vendor's address leads elsewhere.") : error
  }
  if (response.ok) return response
  // The status says enough where the connection breaks behind it.
  const bytes = await firstBytes(response, MAX_ERROR_BYTES, init?.signal ?? undefined).catch(() => new Uint8Array())
  const text = new TextDecoder().decode(bytes)
  throw new VendorRefusal(response.status, response.headers, parsed(text))
}
