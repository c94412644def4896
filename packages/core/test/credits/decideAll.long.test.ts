import { decisionLaws } from "./decisionLaws.ts"

decisionLaws(10_000)
