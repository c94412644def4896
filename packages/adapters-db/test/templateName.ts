/** What names the template of a run of the tests, in every process of the run. */
export const RUN = "PARLEY_TEST_RUN"

/** The name of the database that suites of this run copy. */
export const templateName = (): string => {
  const run = process.env[RUN]
  if (run === undefined) throw new Error(`${RUN} is not set: test/setup/templateDatabase.ts names each run.`)
  return `parley_template_${run}`
}
