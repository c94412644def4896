import { defaultCatalog, type Model } from "@parley/core"
import { MODEL_FAILURES } from "@parley/core/adapter"
import { chatModelContract, type ModelScenario } from "@parley/core/testing"
import { Effect } from "effect"
import { type OfflineBehaviour, OfflineChatModel } from "../../src/index.ts"

const behaviourOf = (scenario: ModelScenario): OfflineBehaviour => {
  switch (scenario._tag) {
    case "speak":
      return { speakTokens: scenario.deltas }
    case "fail":
      return { speakTokens: 100, fail: { reason: scenario.reason, afterTokens: scenario.afterDeltas } }
    case "cut-off":
      return { speakTokens: 100, cutOffAfterTokens: scenario.afterDeltas }
    case "stall":
      return { speakTokens: 100, stallAfterTokens: scenario.afterDeltas }
    case "empty":
      return { empty: true }
  }
}

const failures = MODEL_FAILURES.filter((reason) => reason !== "empty")

chatModelContract("OfflineChatModel", {
  stage: (scenario) =>
    Effect.sync(() => {
      let produced = 0
      let running = 0
      const chatModel = new OfflineChatModel({
        behaviour: { tokenDelayMs: 0, ...behaviourOf(scenario) },
        observe: (event) => {
          if (event._tag === "opened") running += 1
          else if (event._tag === "closed") running -= 1
          else produced += 1
        }
      })
      return { chatModel, model: defaultCatalog.models[0] as Model, produced: () => produced, running: () => running }
    }),
  failuresBeforeFirst: failures,
  failuresWithin: failures,
  endlessDeltas: 100_000
})
