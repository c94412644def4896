import { historiesOnPglite } from "./histories.ts"

historiesOnPglite(2_000)
