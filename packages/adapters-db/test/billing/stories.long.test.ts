import { storiesOnDatabases } from "./stories.ts"

storiesOnDatabases(1_000)
