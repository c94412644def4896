/** The browser tests of visitors and owners who talk with each other: each with two browsers side by side. */
import "./suites/handovers.ts"
import "./suites/botReport.ts"
