import { FakeOpenAi } from "../../../../test/support/FakeOpenAi.ts"
import { poor } from "./billingPage.ts"
import { type CrmServers, startCrmServers } from "./crmServers.ts"
import type { RunningServer } from "./runningServer.ts"

/**
 * A server whose people have three credits, with two CRM providers and a vendor whose replies the tests write; they
 * are available after its start.
 */
export const connectedServer = () => {
  const vendor = new FakeOpenAi()
  let servers: CrmServers | undefined
  const crm = (): CrmServers => {
    if (servers === undefined) throw new Error("The servers are not started yet.")
    return servers
  }
  const start = async (): Promise<RunningServer> => {
    servers = await startCrmServers(poor, { OPENAI_API_KEY: "sk-of-the-tests", OPENAI_BASE_URL: await vendor.start() })
    const { stop, url } = servers.server
    return {
      url,
      stop: async () => {
        await stop()
        await vendor[Symbol.asyncDispose]()
      }
    }
  }
  return { crm, start, vendor }
}
