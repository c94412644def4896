import { historiesBehindPooler, historiesOnPglite, historiesOnPostgres } from "./histories.ts"

historiesOnPglite(12)
historiesOnPostgres(20)
historiesBehindPooler(10)
