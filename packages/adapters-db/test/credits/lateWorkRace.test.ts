import { lateWorkRace } from "./lateWorkRace.ts"

lateWorkRace(3)
