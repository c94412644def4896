/** Builds the widget where its sources have changed, so that no test shows a chat of yesterday. */
export const setup = async (): Promise<void> => {
  const { buildWidget } = (await import(new URL("../../tooling/buildWidget.mjs", import.meta.url).href)) as {
    readonly buildWidget: () => Promise<void>
  }
  await buildWidget()
}
