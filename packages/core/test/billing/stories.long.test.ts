import { storiesInMemory } from "./stories.ts"

// Half of them: the other half runs beside it.
storiesInMemory(50_000, 24)
