/**
 * A response with an error status that contains no error in Stripe's form. It comes from Stripe, or from a proxy in
 * front of it.
 */
export class StripeAnswerUnknown extends Error {
  override readonly name = "StripeAnswerUnknown"
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>

  constructor(statusCode: number, headers: Headers) {
    super(`The payment provider's address answered with status ${statusCode}.`)
    this.statusCode = statusCode
    this.headers = Object.fromEntries(headers)
  }
}

/** The address redirects to another one. Nothing is sent there, in particular not the key. */
export class StripeRedirected extends Error {
  override readonly name = "StripeRedirected"
}

/** The response is larger than allowed. */
export class StripeAnswerTooLarge extends Error {
  override readonly name = "StripeAnswerTooLarge"
}
