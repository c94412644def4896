import { everyChatState } from "./looks/everyChatState.ts"
import { PHONE_DARK } from "./looks/Look.ts"

everyChatState([PHONE_DARK])
