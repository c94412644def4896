import { lookup as lookUp, type LookupAddress } from "node:dns"
import { Agent as HttpAgent, request as requestPlain } from "node:http"
import { Agent as HttpsAgent, request as requestTls } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import {
  isPrivateAddress,
  isThisMachine,
  type WebhookAnswer,
  type WebhookPoster,
  type WebhookRequest,
  WebhookUnanswered
} from "@parley/core/adapter"
import { Effect } from "effect"

/** Options of a poster of webhooks. */
export interface WebhookPosterOptions {
  /** True if host names may resolve to addresses of private networks, for receivers there. Default false. */
  readonly allowPrivateNetworks?: boolean | undefined
  /** Time limit of a response, in milliseconds; default 15 seconds. */
  readonly timeLimitMs?: number | undefined
  /** Resolves names; default: the system's resolver. */
  readonly resolve?: ((host: string) => Promise<ReadonlyArray<LookupAddress>>) | undefined
}

/** The address is not allowed, so no connection was attempted. */
class AddressRefused extends Error {}

const systemResolve = (host: string): Promise<ReadonlyArray<LookupAddress>> =>
  new Promise((succeed, fail) => {
    lookUp(host, { all: true }, (error, addresses) => (error === null ? succeed(addresses) : fail(error)))
  })

/**
 * Resolves a host name for the connection itself, so that the checked address is the one connected to, even if the name
 * changes in between. A name with one private address is refused.
 */
const guardedLookup =
  (resolve: (host: string) => Promise<ReadonlyArray<LookupAddress>>): LookupFunction =>
  (host, options, callback) => {
    resolve(host).then(
      (addresses) => {
        const [first] = addresses
        if (first === undefined || addresses.some(({ address }) => isPrivateAddress(address))) {
          callback(new AddressRefused(), "")
        } else if (options.all === true) callback(null, [...addresses])
        else callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error("no address"), "")
    )
  }

/**
 * Sends webhooks with Node's own client, because the platform's `fetch` cannot restrict the addresses that it connects
 * to.
 */
export const NodeWebhookPoster = ({
  allowPrivateNetworks = false,
  resolve = systemResolve,
  timeLimitMs = 15_000
}: WebhookPosterOptions = {}): WebhookPoster => {
  // The connections are separate from other clients' ones, because kept-alive connections of other clients were not
  // checked.
  const agents = { http: new HttpAgent(), https: new HttpsAgent() }
  const guarded = guardedLookup(resolve)

  const send = ({ body, headers, url: address }: WebhookRequest, signal: AbortSignal) =>
    new Promise<WebhookAnswer>((succeed, fail) => {
      const url = new URL(address)
      const host = url.hostname.replaceAll(/^\[|\]$/g, "")
      const isOpen = allowPrivateNetworks || isThisMachine(url.hostname)
      if (!isOpen && isIP(host) !== 0 && isPrivateAddress(host)) throw new AddressRefused()
      const options = {
        method: "POST",
        headers: { ...headers, "content-length": Buffer.byteLength(body) },
        signal,
        ...(isOpen ? {} : { lookup: guarded })
      }
      const request =
        url.protocol === "https:"
          ? requestTls(url, { ...options, agent: agents.https })
          : requestPlain(url, { ...options, agent: agents.http })
      request.on("error", fail)
      // Without the two listeners below, the request would never end if the receiver switched the protocol or hung up.
      request.on("upgrade", ({ statusCode = 0 }, socket) => {
        socket.destroy()
        succeed({ status: statusCode, retryAfter: undefined })
      })
      request.on("close", () => fail(new Error("no answer")))
      request.on("response", (response) => {
        succeed({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"] })
        // The body of the response is ignored at any length.
        response.on("error", () => undefined)
        response.destroy()
      })
      request.end(body)
    })

  return {
    post: (request) =>
      Effect.tryPromise({
        try: (interrupted) => send(request, AbortSignal.any([interrupted, AbortSignal.timeout(timeLimitMs)])),
        catch: (error) => new WebhookUnanswered({ reason: reasonOf(error) })
      })
  }
}

const reasonOf = (error: unknown): WebhookUnanswered["reason"] => {
  if (error instanceof AddressRefused) return "refused_address"
  const { cause, name } = error as { readonly name?: unknown; readonly cause?: { readonly name?: unknown } }
  return name === "TimeoutError" || cause?.name === "TimeoutError" ? "timeout" : "unreachable"
}
