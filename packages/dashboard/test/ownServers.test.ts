/** What servers of other settings show in a browser, in one file, as in `pages.test.ts`. */
import { attacks } from "./crm/attacks.ts"
import { billing } from "./suites/billing.ts"
import { BRAND_LOOKS, BRAND_PAGES, branding } from "./suites/branding.ts"
import { problems } from "./suites/problems.ts"
import { runningReply, stoppedReply } from "./suites/runningReply.ts"
import { connectedServer } from "./support/connectedServer.ts"
import { describeInChromium } from "./support/describeInChromium.ts"

const { crm, start, vendor } = connectedServer()

describeInChromium("a server of few credits that is connected to CRM providers and a vendor", start, (stage) => {
  billing(stage)
  problems(stage)
  attacks(crm)
  runningReply(stage, vendor)
  stoppedReply(stage, vendor, ["the button"])
})

branding(BRAND_LOOKS.slice(-1), BRAND_PAGES)
