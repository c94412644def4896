import { importsOverCells } from "./imports.ts"

importsOverCells(true)
