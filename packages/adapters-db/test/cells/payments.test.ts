import { paymentsOverCells } from "./payments.ts"

paymentsOverCells(false)
