import { historiesOnPostgres } from "./histories.ts"

historiesOnPostgres(5_000)
