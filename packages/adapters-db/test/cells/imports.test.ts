import { importsOverCells } from "./imports.ts"

importsOverCells(false)
