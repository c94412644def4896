import type { TierCount } from "@parley/core/adapter"
import type { TierName } from "@parley/core"
import { Effect } from "effect"
import type { Database, DatabaseError, Row } from "../../database/Database.ts"

/**
 * Steps through the index from one tier's name to the next, so that the number of accounts on a tier does not matter.
 * Only accounts on missing tiers are counted.
 */
const missingText = (schema: string) => `
  WITH RECURSIVE present AS (
    SELECT min(tier) AS tier FROM ${schema}.credit_accounts WHERE renewed_by <> 'none'
    UNION ALL
    SELECT (SELECT min(a.tier) FROM ${schema}.credit_accounts a WHERE a.renewed_by <> 'none' AND a.tier > p.tier)
    FROM present p WHERE p.tier IS NOT NULL
  ), coming AS (
    SELECT min(pending_tier) AS tier FROM ${schema}.credit_accounts WHERE pending_tier IS NOT NULL AND renewed_by <> 'none'
    UNION ALL
    SELECT (SELECT min(a.pending_tier) FROM ${schema}.credit_accounts a
      WHERE a.pending_tier IS NOT NULL AND a.renewed_by <> 'none' AND a.pending_tier > c.tier)
    FROM coming c WHERE c.tier IS NOT NULL
  ), missing AS (
    SELECT tier FROM present WHERE tier IS NOT NULL AND tier <> ALL ($1::text[])
    UNION
    SELECT tier FROM coming WHERE tier IS NOT NULL AND tier <> ALL ($1::text[])
  )
  SELECT m.tier, (
    SELECT count(*)::integer FROM ${schema}.credit_accounts a
    WHERE a.renewed_by <> 'none' AND (a.tier = m.tier OR a.pending_tier = m.tier) AND a.moved IS NULL
  ) AS accounts
  FROM missing m ORDER BY m.tier`

interface MissingRow extends Row {
  readonly tier: TierName
  readonly accounts: number
}

/**
 * True if the table does not exist yet: the process that migrates creates the schema later, so there are no accounts.
 */
const isNotMadeYet = ({ sqlState }: DatabaseError): boolean => sqlState === "42P01"

/** Returns the number of accounts on each tier that is not among `known`. */
export const missingTiers = (
  { schema, statement }: Database["Service"],
  known: ReadonlyArray<TierName>
): Effect.Effect<ReadonlyArray<TierCount>, DatabaseError> =>
  statement<MissingRow>(missingText(schema), [known]).pipe(
    // A tier that only moved accounts have is not missing here.
    Effect.map((rows) => rows.flatMap(({ accounts, tier }) => (accounts === 0 ? [] : [{ tier, accounts }]))),
    Effect.catchIf(isNotMadeYet, () => Effect.succeed([]))
  )
