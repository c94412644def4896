import { fuzzRoutes } from "./support/fuzzRoutes.ts"

fuzzRoutes(2_410, true)
