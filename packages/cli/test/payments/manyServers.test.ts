import { manyServers } from "./manyServers.ts"

manyServers(2, 40)
