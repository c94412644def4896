import { sweepRace } from "./sweepRace.ts"

sweepRace(5)
