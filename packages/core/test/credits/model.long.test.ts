import { historiesInMemory } from "./histories.ts"

historiesInMemory(10_000)
