/** Builds the widget if its sources have changed, so that the tests never run an old build. */
export const setup = async (): Promise<void> => {
  const { buildWidget } = (await import(new URL("../../tooling/buildWidget.mjs", import.meta.url).href)) as {
    readonly buildWidget: () => Promise<void>
  }
  await buildWidget()
}
