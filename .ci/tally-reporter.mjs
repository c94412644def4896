/**
 * A vitest reporter that counts: it writes `{ passed, failed, skipped }` as JSON to the file named by
 * `PARLEY_TEST_TALLY`, `skipped` as a list of names. A file that cannot be loaded counts as one failed test, and so
 * does every error outside a test, so that no failure is lost by counting tests alone.
 */
import { writeFileSync } from "node:fs"

const tally = (modules, unhandledErrors) => {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const named = (state) => tests.filter((test) => test.result().state === state).map((test) => test.fullName)
  const brokenModules = modules.filter((module) => module.errors().length > 0)
  const brokenSuites = modules
    .flatMap((module) => [...module.children.allSuites()])
    .filter((suite) => suite.errors().length > 0)
  const failed = named("failed").length + brokenModules.length + brokenSuites.length + unhandledErrors.length
  return { passed: named("passed").length, failed, skipped: [...named("skipped"), ...named("pending")] }
}

export default class TallyReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const path = process.env.PARLEY_TEST_TALLY
    if (path) writeFileSync(path, JSON.stringify(tally(modules, unhandledErrors)))
  }
}
