/** Builds the dashboard if its sources have changed, so that the tests never run an old build. */
export const setup = async (): Promise<void> => {
  const { buildDashboard } = (await import(new URL("../../tooling/buildDashboard.mjs", import.meta.url).href)) as {
    readonly buildDashboard: () => Promise<void>
  }
  await buildDashboard()
}
