import { vi } from "vitest"

/** Waits until something is so. What a busy machine does late is not wrong: only what hangs is given up. */
export const waitUntil = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  await vi.waitUntil(condition, { timeout: 60_000, interval: 10 })
}
