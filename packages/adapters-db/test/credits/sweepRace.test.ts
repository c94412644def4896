import { sweepRace } from "./sweepRace.ts"

sweepRace(10)
