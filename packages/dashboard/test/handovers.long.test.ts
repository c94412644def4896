/** The longer browser tests of visitors and owners who talk with each other. */
import { botReport, FURTHER_REPORT_LOOKS } from "./suites/botReport.ts"
import { furtherHandovers } from "./suites/handovers.ts"
import { describeInChromium } from "./support/describeInChromium.ts"

describeInChromium("a person in the place of a bot", {}, furtherHandovers)
botReport(FURTHER_REPORT_LOOKS, [1280])
