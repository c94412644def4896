import { branchesOnDatabases } from "./branches.ts"

branchesOnDatabases(4)
