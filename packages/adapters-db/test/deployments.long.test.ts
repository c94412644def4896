/** The stores as deployed in other ways, each way by itself, and with the settings that come with Postgres. */
import { chatStoreContract, creditLedgerContract } from "@parley/core/testing"
import { Effect } from "effect"
import { describe } from "vitest"
import { ageChat } from "./chat/ageChat.ts"
import { american, freshPostgres, hasPostgres } from "./databases.ts"
import { deployedContracts, migratedStores } from "./deployedContracts.ts"
import { hardenedBy, ordinaryLogin } from "./ordinaryLogin.ts"
import { behindPooler, hasPooler } from "./pooler.ts"

describe.runIf(hasPostgres)("as Postgres comes", () => deployedContracts("Postgres", freshPostgres))

describe.runIf(hasPostgres)("with an ordinary login", () =>
  deployedContracts("Postgres, ordinary login", ordinaryLogin)
)

describe.runIf(hasPostgres && hasPooler)("behind a pooler", () =>
  deployedContracts("Postgres, transaction pooling", behindPooler)
)

describe.runIf(hasPostgres)("with functions that PUBLIC may not execute by default", () =>
  creditLedgerContract("Postgres, hardened", migratedStores(Effect.tap(ordinaryLogin, hardenedBy)))
)

describe.runIf(hasPostgres)("where texts sort as in a dictionary", () => {
  creditLedgerContract("Postgres, en-US", migratedStores(american))
  chatStoreContract("Postgres, en-US", migratedStores(american), ageChat)
})
