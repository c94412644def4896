import { fuzzRoutes } from "./support/fuzzRoutes.ts"

fuzzRoutes(121)
