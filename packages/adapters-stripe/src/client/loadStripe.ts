import { loadPackage } from "@parley/core/adapter"

/** Stripe's SDK, loaded with the first call. Rejects with `PackageMissing` if it is not installed. */
export const loadStripe = (): Promise<typeof import("stripe")> => loadPackage("stripe", () => import("stripe"))
