/** The browser tests of visitors and owners who talk with each other: each with two browsers side by side. */
import { botReport, REPORT_LOOKS } from "./suites/botReport.ts"
import { handovers } from "./suites/handovers.ts"
import { describeInChromium } from "./support/describeInChromium.ts"

describeInChromium("a person in the place of a bot", {}, handovers)
botReport(REPORT_LOOKS, [360])
