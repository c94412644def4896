import { crowdsOnDatabases } from "./together.ts"

crowdsOnDatabases(4)
