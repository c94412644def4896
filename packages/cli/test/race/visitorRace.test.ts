import { visitorRace } from "./visitorRace.ts"

visitorRace(1)
