import { storiesOnDatabases } from "./stories.ts"

storiesOnDatabases(8)
