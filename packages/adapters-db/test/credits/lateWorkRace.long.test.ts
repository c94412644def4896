import { lateWorkRace } from "./lateWorkRace.ts"

lateWorkRace(60)
