import { historiesInMemory } from "./histories.ts"

historiesInMemory(1_000)
