import { reserveRace } from "./reserveRace.ts"

reserveRace(2)
