import { lockedAccounts } from "./lockedAccounts.ts"

lockedAccounts("Postgres behind a pooler")
