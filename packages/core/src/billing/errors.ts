import { Schema } from "effect"

/**
 * Payments are not configured on this server: there is no key of a payment provider, no secret for its events, or no
 * address to which people return.
 */
export class PaymentsNotConfigured extends Schema.TaggedError<PaymentsNotConfigured>()("PaymentsNotConfigured", {
  missing: Schema.Literals(["key", "webhook-secret", "public-address"])
}) {
  readonly code = "payments_not_configured"
  override get message() {
    switch (this.missing) {
      case "key":
        return "Payments are not set up on this server."
      case "webhook-secret":
        return "Events of the payment provider are not set up on this server: their signing secret is missing."
      case "public-address":
        return "Payments are not set up on this server: it does not know its public address (PARLEY_BASE_URL)."
    }
  }
}

/**
 * The payment provider did not answer, or answered that it is unavailable at the moment. It is unknown whether the
 * provider carried out the request.
 */
export class PaymentUnavailable extends Schema.TaggedError<PaymentUnavailable>()("PaymentUnavailable", {
  /** The call of the gateway, for example `checkoutSession`. */
  operation: Schema.String,
  /** The milliseconds after which the provider allows a retry, if it stated them. */
  retryAfterMs: Schema.optionalKey(Schema.Finite),
  cause: Schema.Defect()
}) {
  readonly code = "payment_provider_unavailable"
  override get message() {
    return "The payment provider does not answer at the moment; nothing was charged. Try again in a moment."
  }
}

/** The payment provider refused a request of this server, because the key or a setting of the server is wrong. */
export class PaymentRefused extends Schema.TaggedError<PaymentRefused>()("PaymentRefused", {
  operation: Schema.String,
  /** The provider's own short code, for logs; never its text. */
  reason: Schema.String,
  cause: Schema.Defect()
}) {
  readonly code = "payment_provider_refused"
  override get message() {
    return "The payment provider refused this server's request; nothing was charged. The server's log names the wrong setting."
  }
}

/** The kinds of objects that Parley looks up at the provider. */
export const PAYMENT_OBJECTS = ["customer", "session", "subscription", "invoice", "charge", "price"] as const
export type PaymentObject = (typeof PAYMENT_OBJECTS)[number]

/** The payment provider does not have the object, or no longer has it. */
export class PaymentObjectNotFound extends Schema.TaggedError<PaymentObjectNotFound>()("PaymentObjectNotFound", {
  object: Schema.Literals(PAYMENT_OBJECTS),
  id: Schema.String
}) {
  readonly code = "payment_object_not_found"
  override get message() {
    return `The payment provider has no ${this.object} ${JSON.stringify(this.id)}.`
  }
}

/**
 * The payment provider has the object in a form that Parley cannot read. `problem` names the path of the field, without
 * values.
 */
export class PaymentObjectUnreadable extends Schema.TaggedError<PaymentObjectUnreadable>()("PaymentObjectUnreadable", {
  object: Schema.Literals(PAYMENT_OBJECTS),
  id: Schema.String,
  problem: Schema.String
}) {
  readonly code = "payment_object_unreadable"
  override get message() {
    return `The payment provider's ${this.object} ${JSON.stringify(this.id)} is not in a known form (${this.problem}).`
  }
}

/** The problems with the signature of an event; only for logs. */
export const SIGNATURE_PROBLEMS = ["missing", "malformed", "mismatch", "too-old", "too-new"] as const

/** An event whose signature does not prove that the payment provider sent exactly these bytes a short time ago. */
export class InvalidSignature extends Schema.TaggedError<InvalidSignature>()("InvalidSignature", {
  problem: Schema.Literals(SIGNATURE_PROBLEMS)
}) {
  readonly code = "invalid_signature"
  override get message() {
    return "The signature does not fit this event."
  }
}

/** The failures of a call to the payment provider. */
export type PaymentFailed = PaymentsNotConfigured | PaymentUnavailable | PaymentRefused

/** The event was never received, or its content was deleted. */
export class PaymentEventNotFound extends Schema.TaggedError<PaymentEventNotFound>()("PaymentEventNotFound", {
  eventId: Schema.String
}) {
  readonly code = "payment_event_not_found"
  override get message() {
    return `There is no event ${JSON.stringify(this.eventId)} that could be applied again. "parley billing catch-up" asks the provider for those that never came.`
  }
}

/** The price cannot be bought as requested. The provider was not asked, or no longer has the price. */
export class PriceNotOffered extends Schema.TaggedError<PriceNotOffered>()("PriceNotOffered", {
  priceId: Schema.String,
  /**
   * `unknown`: the catalog does not have the price; `mode`: the price is bought in the other mode; `provider`: the
   * provider no longer has it.
   */
  problem: Schema.Literals(["unknown", "mode", "provider"])
}) {
  readonly code = "price_not_offered"
  override get message() {
    const price = JSON.stringify(this.priceId)
    switch (this.problem) {
      case "unknown":
        return `There is no price ${price} on sale.`
      case "mode":
        return `The price ${price} is not bought so: plans are subscribed to, credits are bought one time.`
      case "provider":
        return `The price ${price} is not for sale at the moment.`
    }
  }
}

/** The customer does not exist, or belongs to another person. */
export class CustomerNotFound extends Schema.TaggedError<CustomerNotFound>()("CustomerNotFound", {
  customerId: Schema.String
}) {
  readonly code = "customer_not_found"
  override get message() {
    return "There is no such customer."
  }
}
