import { chatRace } from "./chatRace.ts"

chatRace(20)
