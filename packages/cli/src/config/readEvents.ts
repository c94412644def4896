import { EVENT_TYPES, type EventType, type WebhookEndpoint } from "@parley/core"
import { webhookProblems } from "@parley/core/effect"
import { Schema } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"
import type { EventsConfig } from "./ParleyConfig.ts"

/** The default: no webhooks. */
export const NO_EVENTS: EventsConfig = { webhooks: [], allowPrivateNetworks: false }

/** The name of an environment variable. */
const VARIABLE = Schema.String.check(Schema.isPattern(/^[A-Z][A-Z0-9_]{0,99}$/))

const Webhooks = Schema.Array(
  Schema.Struct({
    url: Schema.String,
    secret: Schema.Union([VARIABLE, Schema.Array(VARIABLE)]),
    events: Schema.optional(Schema.Array(Schema.Literals(EVENT_TYPES)))
  })
)

const decode = Schema.decodeUnknownOption(Webhooks)

/** An endpoint with its secrets, or undefined if a secret is not set or the endpoint is invalid. */
const endpoint = (
  read: EnvironmentReader,
  place: number,
  given: {
    readonly url: string
    readonly secret: string | ReadonlyArray<string>
    readonly events?: ReadonlyArray<EventType> | undefined
  }
): ReadonlyArray<WebhookEndpoint> => {
  const names = typeof given.secret === "string" ? [given.secret] : given.secret
  const secrets = names.flatMap((name) => {
    const secret = read.secret(name)
    if (secret === undefined) read.problem(name, `expected the secret of webhooks[${place}] in PARLEY_CONFIG`)
    return secret ?? []
  })
  if (secrets.length < names.length) return []
  const made = { url: given.url, secrets, events: given.events }
  const problems = webhookProblems(made)
  for (const problem of problems) read.problem("PARLEY_CONFIG", `webhooks[${place}].${problem}`)
  return problems.length === 0 ? [made] : []
}

/**
 * Reads the parts `webhooks` and `webhooksToPrivateNetworks` of the file named by `PARLEY_CONFIG`. The file names the
 * environment variables of the secrets.
 */
export const readEvents = (
  read: EnvironmentReader,
  parts: { readonly webhooks: unknown; readonly webhooksToPrivateNetworks: unknown }
): EventsConfig => {
  const { webhooks: given = [], webhooksToPrivateNetworks: allow = false } = parts
  const decoded = decode(given)
  const webhooks = decoded._tag === "Some" ? decoded.value.flatMap((each, place) => endpoint(read, place, each)) : []
  if (decoded._tag === "None") {
    const types = EVENT_TYPES.join(", ")
    const form = `a list of { url, secret, events? }: secret names environment variables, events are ${types}`
    read.problem("PARLEY_CONFIG", `webhooks: expected ${form}`)
  }
  if (new Set(webhooks.map(({ url }) => url)).size < webhooks.length) {
    read.problem("PARLEY_CONFIG", "webhooks: expected each url once")
  }
  if (typeof allow !== "boolean") read.problem("PARLEY_CONFIG", "webhooksToPrivateNetworks: expected true or false")
  return { webhooks, allowPrivateNetworks: allow === true }
}
