import { PaymentsNotConfigured } from "@parley/core/adapter"
import { Effect, Result, Schema } from "effect"
import { isLocalHost } from "../../access/isLocalRequest.ts"
import { type Context, publicPathOf } from "../../exchange/Exchange.ts"
import { type Parameter, textParameter } from "../parameters.ts"

const MAX_CHARACTERS = 1_000

/** A path on this server: without a scheme or a host, or characters that a browser would read as such. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

const expected = { message: "Expected a path on this server, such as /billing" }

/** The path of a page of this server. Such a path cannot lead to another server. */
export const OwnPath = Schema.String.check(
  Schema.isMaxLength(MAX_CHARACTERS, expected),
  Schema.isPattern(OWN_PATH, expected)
)

const isOwnPath = Schema.is(OwnPath)

/** The path on this server to which a person returns; default: the first page. */
export const returnToParameter: Parameter<string> = {
  description: "The page of this server to come back to, as a path; the first page unless given.",
  jsonSchema: { type: "string", maxLength: MAX_CHARACTERS, default: "/" },
  decode: (text = "/") => (isOwnPath(text) ? Result.succeed(text) : Result.fail(expected.message))
}

/** The Host header, used on a server without a configured address. It counts only if it names this machine. */
export const hostParameter = textParameter("The host to return to, on a server without a public address.")

/**
 * The full address of a page of this server, to which an external page sends the browser back: below the configured
 * address, or without one at the host of the Host header. That host must be this machine, because with another one the
 * author of the header could choose the site to which people are sent. Undefined if no address is known.
 */
export const ownAddress = (context: Context, path: string, host: string | undefined): URL | undefined => {
  const { address } = context.server
  if (address === undefined && !isLocalHost(host)) return undefined
  return new URL(`${address?.origin ?? `http://${host}`}${publicPathOf(context)}${path}`)
}

/** Like `ownAddress`, for payments: fails if no address is known. */
export const returnAddress = (
  context: Context,
  path: string,
  host: string | undefined
): Effect.Effect<URL, PaymentsNotConfigured> => {
  const address = ownAddress(context, path, host)
  return address === undefined
    ? Effect.fail(new PaymentsNotConfigured({ missing: "public-address" }))
    : Effect.succeed(address)
}
