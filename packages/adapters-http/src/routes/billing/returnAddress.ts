import { PaymentsNotConfigured } from "@parley/core/adapter"
import { Effect, Result, Schema } from "effect"
import { isLocalHost } from "../../access/isLocalRequest.ts"
import { type Context, publicPathOf } from "../../exchange/Exchange.ts"
import { type Parameter, textParameter } from "../parameters.ts"

const MAX_CHARACTERS = 1_000

/** A path of this very server: no scheme, no host, nothing that a browser would read as one. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

const expected = { message: "Expected a path on this server, such as /billing" }

/** The path of a page of this server: it cannot lead to any other server. */
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

/** The Host header, for a server without a configured address: it counts only on this machine. */
export const hostParameter = textParameter("The host to return to, on a server without a public address.")

/**
 * The full address of a page of this server, for an external page that leads back to it: below the configured address.
 * Without one only a Host header that names this machine counts, as a browser on this machine sends it; with any
 * other, its author could choose where people are sent. Undefined if the address is unknown.
 */
export const ownAddress = (context: Context, path: string, host: string | undefined): URL | undefined => {
  const { address } = context.server
  if (address === undefined && !isLocalHost(host)) return undefined
  return new URL(`${address?.origin ?? `http://${host}`}${publicPathOf(context)}${path}`)
}

/** The same for payments, which require an address. */
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
