import { branchesOnDatabases } from "./branches.ts"

branchesOnDatabases(60)
