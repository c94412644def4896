import { everyChatState } from "./looks/everyChatState.ts"
import { LOOKS } from "./looks/Look.ts"

everyChatState(LOOKS)
