import { randomBytes } from "node:crypto"
import type { IncomingMessage, RequestListener } from "node:http"
import { join } from "node:path"
import { type StripeOptions, StripePaymentsLayer } from "@parley/adapters-stripe"
import type { StandInPayments } from "@parley/stripe-stand-in"
import { loadPackage, PackageMissing, type PaymentPorts } from "@parley/core/adapter"
import { Context, Effect, Layer, Redacted } from "effect"
import type { ParleyConfig } from "../config/readConfig.ts"
import { STAND_IN_PATH } from "./standInPath.ts"
import { saleCatalog, standInPrices } from "./standInSale.ts"

/** A stand-in for the payment provider within this process. It is loaded at its first request. */
export interface OfferedStandIn {
  /** Answers requests below `STAND_IN_PATH`. */
  readonly listener: RequestListener
  /**
   * Called when the server listens, with its address for people and its address for the stand-in's own requests.
   * Pending and new payment events are then sent to the server's webhook.
   */
  readonly serveAt: (publicUrl: string, ownUrl: string) => Promise<void>
}

/** The stand-in for the payment provider; undefined if a real provider is configured or payments are off. */
export class PaymentStandIn extends Context.Service<PaymentStandIn, OfferedStandIn | undefined>()(
  "@parley/cli/payments/PaymentStandIn"
) {}

export const noStandInLayer: Layer.Layer<PaymentStandIn> = Layer.succeed(PaymentStandIn, undefined)

/** True if a request is for the stand-in's pages. */
export const isForStandIn = ({ url = "" }: IncomingMessage): boolean =>
  url === STAND_IN_PATH || url.startsWith(`${STAND_IN_PATH}/`) || url.startsWith(`${STAND_IN_PATH}?`)

/** Loads the stand-in's package. A server with a real provider runs without that package. */
const loadStandIn = () => loadPackage("@parley/stripe-stand-in", () => import("@parley/stripe-stand-in"))

/** Resolves with undefined if the stand-in's package is not installed: the server then runs without payments. */
const unlessMissing = <A>(loading: Promise<A> | undefined): Promise<A | undefined> =>
  Promise.resolve(loading).catch((error: unknown) => {
    if (error instanceof PackageMissing) return undefined
    throw error
  })

const secret = (prefix: string): string => `${prefix}_${randomBytes(24).toString("hex")}`

/**
 * The stand-in and its gateway. A server stores the stand-in's state in the data folder; a command in another process
 * (`isCommand`) only reads that state.
 */
export const standInLayer = (config: ParleyConfig, isCommand: boolean): Layer.Layer<PaymentPorts | PaymentStandIn> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const apiKey = secret("sk_test")
      const webhookSecret = secret("whsec")
      // A placeholder in the addresses of pages until the server sets its real address.
      const localUrl = `http://localhost${STAND_IN_PATH}`
      let opened: Promise<StandInPayments> | undefined
      const open = async () => {
        const { fileStore, StandInPayments: StandIn } = await loadStandIn()
        const store = fileStore(join(config.dataFolder, "payments.json"))
        return new StandIn({
          prices: standInPrices(saleCatalog(config.catalog)),
          publicUrl: localUrl,
          apiKey,
          store: isCommand ? { ...store, save: () => undefined } : store
        })
      }
      const load = () => (opened ??= open())
      yield* Effect.addFinalizer(() => Effect.promise(async () => (await unlessMissing(opened))?.close()))
      const options: StripeOptions = {
        apiKey: Redacted.make(apiKey),
        webhookSecret: Redacted.make(webhookSecret),
        apiUrl: localUrl,
        fetch: async (input, init) => (await load()).fetch(input, init)
      }
      const listener: RequestListener = (request, response) => {
        Promise.all([load(), loadStandIn()]).then(
          ([standIn, { standInListener }]) => standInListener(standIn)(request, response),
          (error: unknown) =>
            error instanceof PackageMissing
              ? response.writeHead(503, { "content-type": "text/plain" }).end(error.message)
              : response.writeHead(500).end()
        )
      }
      const serveAt = async (publicUrl: string, ownUrl: string) => {
        const standIn = await unlessMissing(load())
        if (standIn === undefined) return
        standIn.publicUrl = `${publicUrl}${STAND_IN_PATH}`
        standIn.deliveries.target = { url: `${ownUrl}/api/webhooks/payment`, secret: webhookSecret }
        await standIn.deliveries.flush()
      }
      return Layer.merge(
        StripePaymentsLayer(options),
        Layer.succeed(PaymentStandIn, PaymentStandIn.of({ listener, serveAt }))
      )
    })
  )
