/** An answer of Stripe's, or of what stands before it, with an error status and no error of Stripe's in it. */
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

/** The address leads elsewhere: nothing is sent there, least of all the key. */
export class StripeRedirected extends Error {
  override readonly name = "StripeRedirected"
}

/** More came than there may be. */
export class StripeAnswerTooLarge extends Error {
  override readonly name = "StripeAnswerTooLarge"
}
