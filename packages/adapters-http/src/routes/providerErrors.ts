/** The failures of routes that call the payment provider. */
export const PROVIDER_ERRORS = [
  "storage_unavailable",
  "payments_not_configured",
  "payment_provider_unavailable",
  "payment_provider_refused"
] as const
