import type { Tier } from "@parley/core"
import { Schema } from "effect"
import type { OpenApiDocument } from "../environment/ApiDocument.ts"

/** Marks the name of a tier: the server's catalog decides which exist. */
const TIER_FORMAT = "tier"

/** The name of a tier: one of those that the server's catalog has. */
export const TierName = Schema.String.annotate({ format: TIER_FORMAT })

const isTierName = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && "format" in value && value.format === TIER_FORMAT

const written = new WeakMap<OpenApiDocument, OpenApiDocument>()

/** The document with the names of a server's tiers wherever one is named; written once for each. */
export const withTiers = (document: OpenApiDocument, tiers: ReadonlyArray<Tier>): OpenApiDocument => {
  const known = written.get(document)
  if (known !== undefined) return known
  const names = tiers.map(({ name }) => name)
  const named = JSON.parse(JSON.stringify(document), (_key, value: unknown) =>
    isTierName(value) ? { ...value, enum: names } : value
  ) as OpenApiDocument
  written.set(document, named)
  return named
}
