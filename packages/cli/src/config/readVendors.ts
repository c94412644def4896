import { Redacted, Schema } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"
import { type OwnVendorConfig, VENDOR_PROTOCOLS } from "./ParleyConfig.ts"

const Vendor = Schema.Struct({
  baseUrl: Schema.String.check(Schema.isPattern(/^https?:\/\/[^\s]+$/)),
  apiKeyVariable: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/))),
  protocol: Schema.optionalKey(Schema.Literals(VENDOR_PROTOCOLS))
})

const decode = Schema.decodeUnknownOption(Vendor, { onExcessProperty: "error" })

/** As vendors are called in a catalog; without those that have variables of their own, and the stand-in. */
const NAME = /^(?!(?:openai|anthropic|offline)$)[a-z0-9][a-z0-9-]{0,49}$/

const EXPECTED =
  'expected { "baseUrl": "https://...", "apiKeyVariable": the name of the environment variable with its key, "protocol": openai or anthropic }, the last two where needed'

/**
 * Reads the part `vendors` of the file named by `PARLEY_CONFIG`: further vendors of models, by the names that models
 * use. Keys are environment variables, never in the file.
 */
export const readVendors = (read: EnvironmentReader, part: unknown): Readonly<Record<string, OwnVendorConfig>> => {
  if (part === undefined) return {}
  if (typeof part !== "object" || part === null || Array.isArray(part)) {
    read.problem("PARLEY_CONFIG", "vendors: expected an object, with an entry for each vendor by its name")
    return {}
  }
  const vendors: Record<string, OwnVendorConfig> = {}
  for (const [name, described] of Object.entries(part)) {
    const decoded = decode(described)
    if (!NAME.test(name)) {
      const words = "expected a name of small letters, digits and -, other than openai, anthropic and offline"
      read.problem("PARLEY_CONFIG", `vendors.${name.slice(0, 60)}: ${words}`)
    } else if (decoded._tag === "None" || !URL.canParse(decoded.value.baseUrl)) {
      read.problem("PARLEY_CONFIG", `vendors.${name}: ${EXPECTED}`)
    } else {
      const { apiKeyVariable, baseUrl, protocol = "openai" } = decoded.value
      vendors[name] = { protocol, baseUrl, apiKey: keyOf(read, name, apiKeyVariable) }
    }
  }
  return vendors
}

/** The key for a server that needs none, because the protocols require one. */
const NO_KEY = Redacted.make("none")

const keyOf = (read: EnvironmentReader, vendor: string, variable: string | undefined): Redacted.Redacted => {
  if (variable === undefined) return NO_KEY
  const key = read.secret(variable)
  if (key === undefined) {
    read.problem(
      variable,
      `expected the key of the vendor ${vendor}, which names it in PARLEY_CONFIG (vendors.${vendor})`
    )
  }
  return key ?? NO_KEY
}
