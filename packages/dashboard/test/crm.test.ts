import { attacks } from "./crm/attacks.ts"
import { journeys } from "./crm/journeys.ts"
import { type CrmServers, startCrmServers } from "./support/crmServers.ts"
import { describeInChromium } from "./support/describeInChromium.ts"

let servers: CrmServers | undefined
const started = (): CrmServers => {
  if (servers === undefined) throw new Error("The servers are not started yet.")
  return servers
}

describeInChromium(
  "CRM connections",
  async () => {
    servers = await startCrmServers()
    return servers.server
  },
  (stage) => {
    attacks(started)
    journeys(stage, started)
  }
)
