import { vi } from "vitest"

/** Waits until a condition is true. A busy machine may be late, so only a hanging condition fails. */
export const waitUntil = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  await vi.waitUntil(condition, { timeout: 60_000, interval: 10 })
}
