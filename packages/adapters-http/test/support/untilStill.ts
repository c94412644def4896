const QUIET_MS = 100

/** Resolves when a number has stayed the same for a while, which shows that its writer is being held back. */
export const untilStill = async (read: () => number): Promise<void> => {
  let before = Number.NaN
  while (read() !== before) {
    before = read()
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS))
  }
}
