/** Builds the dashboard where its sources have changed, so that no test shows an application of yesterday. */
export const setup = async (): Promise<void> => {
  const { buildDashboard } = (await import(new URL("../../tooling/buildDashboard.mjs", import.meta.url).href)) as {
    readonly buildDashboard: () => Promise<void>
  }
  await buildDashboard()
}
