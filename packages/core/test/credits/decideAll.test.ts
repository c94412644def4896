import { decisionLaws } from "./decisionLaws.ts"

decisionLaws(300)
