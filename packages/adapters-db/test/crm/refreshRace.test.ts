import { refreshRace } from "./refreshRace.ts"

refreshRace(2)
