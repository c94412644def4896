import { filledPages } from "./looks/filledPages.ts"
import { LOOKS } from "./looks/Look.ts"

filledPages(LOOKS)
