/**
 * Prints what the pipeline ends with, "N passed, N failed", and decides its exit code.
 *
 * Usage: node .ci/closing-line.mjs <tally file of .ci/tally-reporter.mjs> <exit code of check> <exit code of test>
 * A test run that died without a tally, or failed without a failed test, counts as one failure.
 */
import { readFileSync } from "node:fs"

const [path, checks, tests] = process.argv.slice(2)

const readTally = () => {
  try {
    return JSON.parse(readFileSync(path, "utf8"))
  } catch {
    return { passed: 0, failed: 0, skipped: [] }
  }
}

const { passed, failed, skipped } = readTally()
const failures = failed === 0 && tests !== "0" ? 1 : failed

if (passed === 0) console.log("No test ran.")
// A suite that fails to set up leaves its tests skipped: then the failure is the news.
if (skipped.length > 0 && failures === 0) {
  console.log(`${skipped.length} skipped, though everything they could need is here:`)
  for (const name of skipped) console.log(`  ${name}`)
}
console.log(`${passed} passed, ${failures} failed`)
process.exitCode = checks === "0" && failures === 0 && passed > 0 && skipped.length === 0 ? 0 : 1
