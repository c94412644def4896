import { historiesBehindPooler, historiesOnPglite, historiesOnPostgres } from "./histories.ts"

historiesOnPglite(6)
historiesOnPostgres(10)
historiesBehindPooler(5)
