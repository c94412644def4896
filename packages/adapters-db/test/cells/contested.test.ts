import { contestedPayments } from "./contested.ts"

contestedPayments(false)
