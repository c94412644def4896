import { killedPayments } from "./killedPayments.ts"

killedPayments(149)
