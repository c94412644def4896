import { crowdsOnDatabases } from "./together.ts"

crowdsOnDatabases(1_000)
