import { historiesInMemory } from "./histories.ts"

historiesInMemory(300)
