import { historiesBehindPooler, historiesOnPglite, historiesOnPostgres } from "./histories.ts"

historiesOnPglite(80)
historiesOnPostgres(150)
historiesBehindPooler(80)
