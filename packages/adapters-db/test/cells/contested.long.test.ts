import { contestedPayments } from "./contested.ts"

contestedPayments(true)
