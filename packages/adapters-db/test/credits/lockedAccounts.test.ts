import { lockedAccounts } from "./lockedAccounts.ts"

lockedAccounts("Postgres")
