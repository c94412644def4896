import { chatRace } from "./chatRace.ts"

chatRace(200)
