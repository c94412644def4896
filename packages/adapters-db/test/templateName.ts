/** The name of the databases of a run of the tests, in every process of the run. */
export const RUN = "PARLEY_TEST_RUN"

const runName = (): string => {
  const run = process.env[RUN]
  if (run === undefined) throw new Error(`${RUN} is not set: test/setup/templateDatabase.ts names each run.`)
  return run
}

/** The name of the database that suites of this run copy. */
export const templateName = (): string => `parley_template_${runName()}`

/** The beginning of the names of this run's other databases. */
export const databasePrefix = (): string => `parley_${runName()}_`

/** A name for a database of this run. */
export const newDatabaseName = (): string => databasePrefix() + crypto.randomUUID().replaceAll("-", "").slice(0, 12)
