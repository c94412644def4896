import { storiesInMemory } from "./stories.ts"

storiesInMemory(50_000, 24)
