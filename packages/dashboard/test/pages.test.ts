import { everyPage } from "./looks/everyPage.ts"
import { LIGHT, PHONE_DARK } from "./looks/Look.ts"

everyPage([LIGHT, PHONE_DARK])
