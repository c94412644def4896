import { dailyCap } from "./dailyCap.ts"

dailyCap(4)
