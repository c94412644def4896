import { storiesInMemory } from "./stories.ts"

storiesInMemory(500, 9)
