import { Catalog } from "@parley/core/effect"
import type { CatalogData } from "@parley/core"
import { type PaymentFailed, PaymentGateway, type PriceOffer } from "@parley/core/adapter"
import { PaymentEventStore, BillingUpkeep, type EventState, OTHER_MODE_NOTE, ownCursor } from "@parley/core/adapter"
import { Effect, Redacted } from "effect"
import type { ParleyConfig } from "../../config/readConfig.ts"
import { usesStandInPayments } from "../../config/rules/serveRules.ts"
import { tasksOf } from "../../config/rules/workRules.ts"
import { exitCodes } from "../../exitCodes.ts"
import { type Check, failed, note, ok } from "../Check.ts"
import { portalSettingsCheck } from "./portalSettingsCheck.ts"

const NAME = "payments"

/** The kind of a Stripe key, from its prefix. */
const kindOf = (key: string): "live" | "test" | "publishable" | "other" => {
  if (key.startsWith("pk_")) return "publishable"
  const mode = /^[sr]k_(live|test)_/.exec(key)?.[1]
  return mode === "live" || mode === "test" ? mode : "other"
}

const keyCheck = ({ apiUrl, secretKey }: NonNullable<ParleyConfig["payments"]>, production: boolean): Check => {
  switch (kindOf(Redacted.value(secretKey))) {
    case "live":
      return ok(NAME, "taken by Stripe, for real money")
    case "test":
      return production
        ? note(NAME, "test mode: nothing is paid for real", "Set STRIPE_SECRET_KEY to the live key to sell for money.")
        : ok(NAME, "taken by Stripe in test mode")
    case "publishable":
      return failed(
        NAME,
        exitCodes.configuration,
        "STRIPE_SECRET_KEY is a publishable key, which may do nothing here",
        "Set it to the secret key (sk_...) or a restricted one (rk_...)."
      )
    case "other":
      return apiUrl === undefined
        ? note(
            NAME,
            "STRIPE_SECRET_KEY is of no known form",
            "Stripe's begin with sk_live_, sk_test_, rk_live_ or rk_test_."
          )
        : ok(NAME, `taken by ${apiUrl}`)
  }
}

const secretCheck = ({ webhookSecret }: NonNullable<ParleyConfig["payments"]>): Check => {
  const name = "payment events"
  if (webhookSecret === undefined) {
    return failed(
      name,
      exitCodes.configuration,
      "none is taken: the webhook answers 503, and so nothing is sold",
      "Set STRIPE_WEBHOOK_SECRET to the signing secret of the endpoint /api/webhooks/payment."
    )
  }
  return Redacted.value(webhookSecret).startsWith("whsec_")
    ? ok(name, "taken at /api/webhooks/payment, signed")
    : note(
        name,
        "STRIPE_WEBHOOK_SECRET is of no known form: signatures may not fit",
        "It is the endpoint's signing secret, which begins with whsec_, and no key."
      )
}

const catchUpCheck = (config: ParleyConfig): Check =>
  tasksOf(config).includes("payments")
    ? ok("missed payments", "caught up with by the background work, at its start and every hour")
    : note(
        "missed payments",
        "caught up with by nobody: PARLEY_CATCH_UP is off",
        'Run "parley billing catch-up" daily and after every outage.'
      )

/** Checks the settings of payments. */
export const paymentChecks = (config: ParleyConfig): ReadonlyArray<Check> => {
  const { payments, production } = config
  if (payments !== undefined) return [keyCheck(payments, production), secretCheck(payments), catchUpCheck(config)]
  const advice = "Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET to sell plans and credits."
  return [
    usesStandInPayments(config)
      ? note(NAME, "taken by the stand-in, for no money", advice)
      : note(NAME, "none are taken: nothing is sold", advice)
  ]
}

/** The largest number of payment events of each state that are read. */
const LOOKED_AT = 100

const counted = (found: ReadonlyArray<unknown>): string =>
  found.length < LOOKED_AT ? String(found.length) : `${LOOKED_AT} or more`

/** Reports waiting and failed payment events, and the mistakes in the key or the signing secret that they reveal. */
export const inboxChecks = Effect.gen(function* () {
  const name = "payment inbox"
  const store = yield* PaymentEventStore
  const inState = (state: EventState) =>
    Effect.map(
      ownCursor(store.list({ state, userId: undefined, limit: LOOKED_AT, after: undefined })),
      (page) => page.rows
    )
  const [owed, waiting, refused, unreadable] = yield* Effect.all([
    inState("owed"),
    inState("waiting"),
    inState("refused"),
    inState("unreadable")
  ])
  const ofOtherMode = refused.filter((event) => event.note === OTHER_MODE_NOTE)
  const others = refused.filter((event) => event.note !== OTHER_MODE_NOTE)
  const checks = [
    ...(owed.length === 0
      ? []
      : [
          note(
            name,
            `${counted(owed)} payments are to be refunded: nothing is given for them`,
            "Refund them at the provider. See: parley billing list --state owed"
          )
        ]),
    ...(ofOtherMode.length === 0
      ? []
      : [
          note(
            name,
            `${counted(ofOtherMode)} events were of the other mode, test or live, than the key: it and the signing secret do not fit`,
            "Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET of one mode; then: parley billing catch-up --since 30d"
          )
        ]),
    ...(others.length === 0
      ? []
      : [note(name, `${counted(others)} events were refused`, "See: parley billing list --state refused")]),
    ...(unreadable.length === 0
      ? []
      : [note(name, `${counted(unreadable)} events could not be read`, "See: parley billing list --state unreadable")]),
    ...(waiting.length === 0
      ? []
      : [
          note(
            name,
            `${counted(waiting)} events wait until it is known whose they are`,
            "See: parley billing list --state waiting"
          )
        ])
  ]
  return checks.length > 0 ? checks : [ok(name, "no event waits or failed")]
}).pipe(
  Effect.catchTag("StorageFailed", () =>
    Effect.succeed([
      failed("payment inbox", exitCodes.unavailable, "it could not be read", "Check that the database answers.")
    ])
  )
)

/** Reports people who pay for several subscriptions, for example because they paid on two open pages. */
export const subscriptionChecks = BillingUpkeep.use((upkeep) =>
  upkeep.several({ after: undefined, limit: LOOKED_AT })
).pipe(
  Effect.map(({ rows: found }) => {
    if (found.length === 0) return []
    const [first] = found.map(({ subscriptions, userId }) => `${userId} (${subscriptions.join(", ")})`)
    return [
      note(
        "subscriptions",
        `${counted(found)} people pay for several at once, of which one gives a plan: ${first}${found.length > 1 ? " and others" : ""}`,
        "End the ones that are not meant at the provider, and refund them. All: parley credits verify --with-payments"
      )
    ]
  }),
  Effect.catchTag("StorageFailed", () => Effect.succeed([]))
)

const LIVE = "live payments"
const PATIENCE = "30 seconds"

/**
 * Describes prices that the provider sells in another way than the catalog requires: a plan must recur, and credits
 * must be paid once.
 */
const misfitsOf = ({ prices }: CatalogData, offers: ReadonlyArray<PriceOffer>): ReadonlyArray<string> => {
  const known = new Map(offers.map((offer) => [offer.priceId, offer]))
  return Object.entries(prices).flatMap(([id, purchase]) => {
    const offer = known.get(id)
    if (offer === undefined) return [`${id} is not for sale there`]
    if ("tier" in purchase && offer.every === undefined) return [`${id} is for a plan and is paid only once there`]
    if ("topup" in purchase && offer.every !== undefined) return [`${id} is for credits and is a subscription there`]
    return []
  })
}

const trouble = (error: PaymentFailed): Check => {
  switch (error._tag) {
    case "PaymentUnavailable":
      return failed(
        LIVE,
        exitCodes.unavailable,
        "the provider did not answer",
        "Try again later, or check STRIPE_API_URL."
      )
    case "PaymentRefused":
    case "PaymentsNotConfigured":
      return failed(
        LIVE,
        exitCodes.configuration,
        "the provider refused the request",
        "Check STRIPE_SECRET_KEY, and that it may read prices."
      )
  }
}

/** Asks the payment provider for the prices that the catalog names. */
const livePricesCheck = Effect.gen(function* () {
  const catalog = yield* Catalog
  const priceIds = Object.keys(catalog.prices)
  return yield* PaymentGateway.use((gateway) => gateway.prices(priceIds)).pipe(
    Effect.timeout(PATIENCE),
    Effect.map((offers) => {
      const misfits = misfitsOf(catalog, offers)
      if (misfits.length > 0) {
        const advice = "Put it right in PARLEY_CONFIG or at the provider, in the mode of the key."
        return [failed(LIVE, exitCodes.configuration, misfits.join("; "), advice)]
      }
      return [
        priceIds.length === 0
          ? note(LIVE, "the provider answers; the catalog has no prices", 'Name them in "prices" of PARLEY_CONFIG.')
          : ok(LIVE, `works: the provider sells all ${priceIds.length} prices of the catalog`)
      ]
    }),
    Effect.catchTag("TimeoutError", () =>
      Effect.succeed([failed(LIVE, exitCodes.unavailable, "the provider did not answer", "Check STRIPE_API_URL.")])
    ),
    Effect.catchTag(["PaymentUnavailable", "PaymentRefused", "PaymentsNotConfigured"], (error) =>
      Effect.succeed([trouble(error)])
    )
  )
})

/**
 * Asks the payment provider for the catalog's prices and for its portal's settings; empty if no provider is configured.
 */
export const livePaymentChecks = Effect.fnUntraced(function* ({ payments }: ParleyConfig) {
  if (payments === undefined) return []
  const prices = yield* livePricesCheck
  // If the provider does not answer, it is reported only once.
  if (prices.some(({ status, exit }) => status === "failed" && exit === exitCodes.unavailable)) return prices
  return [...prices, ...(yield* portalSettingsCheck(payments))]
})
