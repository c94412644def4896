import { it } from "vitest"
import { lookAtBots } from "./looks/botPages.ts"
import { everyChatState } from "./looks/everyChatState.ts"
import { everyPage } from "./looks/everyPage.ts"
import { filledPages } from "./looks/filledPages.ts"
import { FURTHER_LOOKS, LIGHT, PHONE_DARK } from "./looks/Look.ts"
import { lookAtPlan } from "./looks/planPage.ts"
import { FURTHER_SHAPES } from "./looks/Shape.ts"
import { currentPlan, poor, SEEN, subscribe } from "./support/billingPage.ts"
import { describeInChromium } from "./support/describeInChromium.ts"

everyPage([LIGHT, ...FURTHER_LOOKS])
everyChatState([LIGHT, PHONE_DARK, ...FURTHER_LOOKS])
filledPages([PHONE_DARK, ...FURTHER_LOOKS])
describeInChromium("bots", {}, (stage) => {
  it("breaks no rule of accessibility and does not scroll sideways, wide and on a phone", async () => {
    await lookAtBots(await stage.openAs("looker@example.org"), FURTHER_SHAPES)
  })
})
describeInChromium("plans and credits", poor, (stage) => {
  it("breaks no rule of accessibility and does not scroll sideways, wide and on a phone", async () => {
    const dashboard = await stage.openAs("looker@example.org", SEEN)
    await currentPlan(dashboard.page).waitFor()
    await subscribe(dashboard.page, "Pro")
    await lookAtPlan(dashboard, "Pro", FURTHER_SHAPES)
  })
})
