import { historiesBehindPooler } from "./histories.ts"

historiesBehindPooler(3_000)
