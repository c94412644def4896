import { everyChatState } from "./looks/everyChatState.ts"
import { everyPage } from "./looks/everyPage.ts"
import { filledPages } from "./looks/filledPages.ts"
import { FURTHER_LOOKS } from "./looks/Look.ts"

everyPage(FURTHER_LOOKS)
everyChatState(FURTHER_LOOKS)
filledPages(FURTHER_LOOKS)
