import { type ApiKey, problemsOfApiKeys } from "@parley/adapters-http/settings"
import { Schema } from "effect"
import type { EnvironmentReader } from "./EnvironmentReader.ts"

const Keys = Schema.Array(
  Schema.Struct({
    id: Schema.String,
    sha256: Schema.Union([Schema.String, Schema.Array(Schema.String)]),
    scopes: Schema.Array(Schema.String),
    dailyCap: Schema.optional(Schema.Finite),
    perMinute: Schema.optional(Schema.Finite)
  })
)

const decode = Schema.decodeUnknownOption(Keys)

/** The keys in the configuration's `apiKeys`; their problems contain nothing of them except their ids. */
export const readApiKeys = (read: EnvironmentReader, part: unknown): ReadonlyArray<ApiKey> => {
  if (part === undefined) return []
  const decoded = decode(part)
  if (decoded._tag === "None") {
    read.problem("PARLEY_CONFIG", "apiKeys: expected a list of { id, sha256, scopes, dailyCap?, perMinute? }")
    return []
  }
  const keys = decoded.value as ReadonlyArray<ApiKey>
  const problems = problemsOfApiKeys(keys)
  for (const problem of problems) read.problem("PARLEY_CONFIG", `apiKeys: ${problem}`)
  return problems.length === 0 ? keys : []
}
