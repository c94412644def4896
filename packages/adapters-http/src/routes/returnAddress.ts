import { PaymentsNotConfigured } from "@parley/core/adapter"
import { Effect, Result, Schema } from "effect"
import { isLocalHost } from "../access/isLocalRequest.ts"
import { PublicAddress, publicPathOf } from "../environment/PublicAddress.ts"
import { type Parameter, textParameter } from "./parameters.ts"

const MAX_CHARACTERS = 1_000

/** A path of this very server: no scheme, no host, nothing that a browser would read as one. */
const OWN_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/

const expected = { message: "Expected a path on this server, such as /billing" }

/** The path of a page here: nobody can be led anywhere else with it. */
export const OwnPath = Schema.String.check(
  Schema.isMaxLength(MAX_CHARACTERS, expected),
  Schema.isPattern(OWN_PATH, expected)
)

const isOwnPath = Schema.is(OwnPath)

/** Where on this server a person comes back to; the first page unless given. */
export const returnToParameter: Parameter<string> = {
  description: "The page of this server to come back to, as a path; the first page unless given.",
  jsonSchema: { type: "string", maxLength: MAX_CHARACTERS, default: "/" },
  decode: (text = "/") => (isOwnPath(text) ? Result.succeed(text) : Result.fail(expected.message))
}

/** The header that says where a server is that was not told its address: on this machine, or it does not count. */
export const hostParameter = textParameter("Where to come back to, on a server without a public address.")

/**
 * The whole address of a page of this server, for a page elsewhere that leads back to it: below the configured address.
 * Without one only a Host header that names this machine counts, as a browser on it sends; any other would let whoever
 * writes it choose where people are sent. Undefined where it is not known.
 */
export const ownAddress = Effect.fnUntraced(function* (path: string, host: string | undefined, prefix = "") {
  const address = yield* PublicAddress
  if (address.url === undefined && !isLocalHost(host)) return undefined
  return new URL(`${address.url?.origin ?? `http://${host}`}${publicPathOf(address, prefix)}${path}`)
})

/** The same for what a person pays, which cannot go on without. */
export const returnAddress = Effect.fnUntraced(function* (path: string, host: string | undefined, prefix = "") {
  const address = yield* ownAddress(path, host, prefix)
  return address ?? (yield* new PaymentsNotConfigured({ missing: "public-address" }))
})
