/**
 * The contracts of the stores on Postgres, with several stricter settings at once: a login that is no superuser and owns a database in which
 * PUBLIC may execute no functions and texts sort as in a dictionary, behind a transaction-pooling pooler.
 * `deployments.long.test.ts` has each setting by itself, and none.
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
