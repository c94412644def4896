export { Database, DatabaseError, type Row, type Sql } from "./database/Database.ts"
