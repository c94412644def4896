import { historiesBehindPooler, historiesOnPglite, historiesOnPostgres } from "./histories.ts"

historiesOnPglite(30)
historiesOnPostgres(50)
historiesBehindPooler(25)
