import { lateWorkRace } from "./lateWorkRace.ts"

lateWorkRace(20)
