import { manyServers } from "./manyServers.ts"

manyServers(4, 500)
