import type { PaymentEvent, PaymentSubject } from "@parley/core/adapter"
import { userIn } from "../metadata.ts"
import { isKeptText, type JsonObject, UnknownShape } from "./ShapeReader.ts"

const objectIn = (value: unknown): JsonObject | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined

/** Returns an id; the value is the id, or the object that has it. */
const idIn = (value: unknown): string | undefined => {
  const id = objectIn(value)?.["id"] ?? value
  return isKeptText(id) ? id : undefined
}

/** Returns the customer of an object; the object may be the customer itself. */
export const customerOf = (value: unknown): string | undefined => {
  const object = objectIn(value)
  return idIn(object?.["object"] === "customer" ? object : object?.["customer"])
}

/** Returns the ids that an object of Stripe contains, independent of the form of its other fields. */
export const subjectOf = (value: unknown): PaymentSubject => {
  const object = objectIn(value) ?? {}
  const origin = objectIn(objectIn(object["parent"])?.["subscription_details"])
  const isSubscription = object["object"] === "subscription"
  return {
    customerId: customerOf(value),
    subscriptionId: idIn(isSubscription ? object : (origin?.["subscription"] ?? object["subscription"])),
    paymentId: idIn(object["payment_intent"]),
    userId: userIn(object["metadata"]) ?? userIn(origin?.["metadata"])
  }
}

/**
 * Reads an object with `read`. If its form is unknown, returns the unknown field and the ids that the object contains.
 */
export const orUnreadable = <A>(
  value: unknown,
  read: (value: unknown) => A
): A | Extract<PaymentEvent, { readonly _tag: "Unreadable" }> => {
  try {
    return read(value)
  } catch (error) {
    if (!(error instanceof UnknownShape)) throw error
    return { _tag: "Unreadable", problem: error.message, subject: subjectOf(value) }
  }
}
