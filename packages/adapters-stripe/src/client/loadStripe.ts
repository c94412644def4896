import { loadPackage } from "@parley/core/adapter"

/** Loads Stripe's SDK. Rejects with `PackageMissing` if it is not installed. */
export const loadStripe = (): Promise<typeof import("stripe")> => loadPackage("stripe", () => import("stripe"))
