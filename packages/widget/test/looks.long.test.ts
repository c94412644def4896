import "./suites/bundled.ts"
import "./suites/looks.ts"
import { chosenOnPhone } from "./looks/chosenOnPhone.ts"
import { everyCard, FURTHER_CARD_LOOKS } from "./looks/everyCard.ts"
import { everyChatState, FURTHER_LOOKS } from "./looks/everyChatState.ts"
import { everyFile, FURTHER_FILE_LOOKS } from "./looks/everyFile.ts"
import { everyLanguage } from "./looks/everyLanguage.ts"
import { describeWidget } from "./support/describeWidget.ts"

describeWidget("what the chat looks like", (stage) => {
  everyChatState(stage, FURTHER_LOOKS)
  everyCard(stage, FURTHER_CARD_LOOKS)
  everyFile(stage, FURTHER_FILE_LOOKS)
  everyLanguage(stage, ["arabic"], [1280])
  everyLanguage(stage, ["french"], [360, 1280])
  chosenOnPhone(stage, ["light"])
})
