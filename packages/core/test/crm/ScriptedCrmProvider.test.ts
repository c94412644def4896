import { crmProviderContract, scriptedCrm, type ScriptedCrmOptions } from "@parley/core/testing"
import { Effect } from "effect"

const staged = (options: ScriptedCrmOptions) =>
  Effect.sync(() => {
    const crm = scriptedCrm(options)
    return {
      provider: crm.provider,
      approve: (url: URL) => Effect.sync(() => crm.approve(url)),
      tokenCalls: Effect.sync(() => crm.calls.filter((call) => call !== "revoke").length),
      failNext: (fault: "unavailable" | "lost" | "garbage") =>
        Effect.sync(() => crm.failNext(fault === "garbage" ? "lost" : fault)),
      rotates: options.rotates !== false
    }
  })

crmProviderContract("in memory, rotating, with PKCE", staged({}))
crmProviderContract("in memory, without rotation or PKCE", staged({ id: "provider_two", rotates: false }))
