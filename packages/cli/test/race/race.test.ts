import { chatRace } from "./chatRace.ts"

chatRace(3)
