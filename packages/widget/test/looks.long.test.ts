import "./suites/bundled.ts"
import "./suites/looks.ts"
import { everyChatState, FURTHER_LOOKS } from "./looks/everyChatState.ts"
import { describeWidget } from "./support/describeWidget.ts"

describeWidget("what the chat looks like", (stage) => {
  everyChatState(stage, FURTHER_LOOKS)
})
