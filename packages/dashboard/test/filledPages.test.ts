import { filledPages } from "./looks/filledPages.ts"
import { LIGHT } from "./looks/Look.ts"

filledPages([LIGHT])
