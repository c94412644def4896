/** An answer with an error status, as far as it was read. What it says is the vendor's text: for no log and no answer. */
export class VendorRefusal extends Error {
  override readonly name = "VendorRefusal"
  readonly status: number
  readonly headers: Headers
  /** The parsed JSON, or the text where it is none. */
  readonly body: unknown

  constructor(status: number, headers: Headers, body: unknown) {
    super(`The vendor answered with status ${status}.`)
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/** The vendor's address leads elsewhere: nothing is sent there, least of all the key. */
export class VendorRedirected extends Error {
  override readonly name = "VendorRedirected"
}

/** What was thrown on the way to a vendor, or the refusal within it: SDKs wrap what their `fetch` throws. */
export const unwrapRefusal = (cause: unknown): unknown => {
  for (let error = cause, depth = 0; error instanceof Error && depth < 4; error = error.cause, depth++) {
    if (error instanceof VendorRefusal || error instanceof VendorRedirected) return error
  }
  return cause
}
