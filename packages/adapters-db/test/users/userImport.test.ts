import { importsOnDatabases } from "./userImport.ts"

importsOnDatabases(5)
