import { describe } from "vitest"
import { hasPostgres } from "../databases.ts"
import { migrateTogether } from "./migrateTogether.ts"

describe.runIf(hasPostgres)("migrating a server", () => migrateTogether(20))
