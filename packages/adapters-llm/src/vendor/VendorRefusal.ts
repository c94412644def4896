/**
 * A response with an error status, as far as it was read. Its body is text of the vendor: never log it or send it to a
 * client.
 */
export class VendorRefusal extends Error {
  override readonly name = "VendorRefusal"
  readonly status: number
  readonly headers: Headers
  /** The body as parsed JSON, or as text if it is not JSON. */
  readonly body: unknown

  constructor(status: number, headers: Headers, body: unknown) {
    super(`The vendor answered with status ${status}.`)
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/** The vendor's address redirects to another one. Nothing is sent there, in particular not the key. */
export class VendorRedirected extends Error {
  override readonly name = "VendorRedirected"
}

/** Returns the refusal inside an error that an SDK has wrapped around it; otherwise the error itself. */
export const unwrapRefusal = (cause: unknown): unknown => {
  for (let error = cause, depth = 0; error instanceof Error && depth < 4; error = error.cause, depth++) {
    if (error instanceof VendorRefusal || error instanceof VendorRedirected) return error
  }
  return cause
}
