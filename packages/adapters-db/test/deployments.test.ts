/**
 * The same stores where everything is stricter at once than where most tests run: a login that is no superuser and owns a
 * database in which functions are nobody's by default and texts sort as in a dictionary, behind a transaction-pooling pooler.
 */
import { Effect } from "effect"
import { describe } from "vitest"
import { american, hasPostgres } from "./databases.ts"
import { deployedContracts } from "./deployedContracts.ts"
import { hardenedBy, ordinaryLoginOf } from "./ordinaryLogin.ts"
import { before, hasPooler } from "./pooler.ts"

const strict = ordinaryLoginOf(american).pipe(Effect.tap(hardenedBy))

describe.runIf(hasPostgres)("at its strictest", () =>
  deployedContracts("Postgres, strict", hasPooler ? before(strict) : strict)
)
