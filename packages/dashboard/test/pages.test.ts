import { everyPage } from "./looks/everyPage.ts"
import { LOOKS } from "./looks/Look.ts"

everyPage(LOOKS)
