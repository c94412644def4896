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

/** A stand-in for the payment provider within this process. It is loaded when it is first asked for something. */
export interface OfferedStandIn {
  /** Answers requests below `STAND_IN_PATH`. */
  readonly listener: RequestListener
  /**
   * Sets the addresses of the server for people and for its own requests when it listens: pending and new events then
   * go to its webhook.
   */
  readonly serveAt: (publicUrl: string, ownUrl: string) => Promise<void>
}

/** The stand-in for the payment provider; undefined with a real one, or without payments. */
export class PaymentStandIn extends Context.Service<PaymentStandIn, OfferedStandIn | undefined>()(
  "@parley/cli/payments/PaymentStandIn"
) {}

export const noStandInLayer: Layer.Layer<PaymentStandIn> = Layer.succeed(PaymentStandIn, undefined)

/** True if a request is for the stand-in. */
export const isForStandIn = ({ url = "" }: IncomingMessage): boolean =>
  url === STAND_IN_PATH || url.startsWith(`${STAND_IN_PATH}/`) || url.startsWith(`${STAND_IN_PATH}?`)

/** The stand-in's package. Only development needs it, so that a server with a real provider runs without it. */
const loadStandIn = () => loadPackage("@parley/stripe-stand-in", () => import("@parley/stripe-stand-in"))

/** Undefined if the package of the stand-in is not installed: the server then runs without payments. */
const unlessMissing = <A>(loading: Promise<A> | undefined): Promise<A | undefined> =>
  Promise.resolve(loading).catch((error: unknown) => {
    if (error instanceof PackageMissing) return undefined
    throw error
  })

const secret = (prefix: string): string => `${prefix}_${randomBytes(24).toString("hex")}`

/**
 * The stand-in and its gateway. A server stores its state in the data folder; a command in another process
 * (`isCommand`) only reads that state.
 */
export const standInLayer = (config: ParleyConfig, isCommand: boolean): Layer.Layer<PaymentPorts | PaymentStandIn> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const apiKey = secret("sk_test")
      const webhookSecret = secret("whsec")
      // Before the server sets its address, pages have a placeholder address.
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
