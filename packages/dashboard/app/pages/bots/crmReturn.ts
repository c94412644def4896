/** Why nothing was connected. */
const CRM_ERRORS = ["denied", "state", "exchange", "bot"] as const
export type CrmError = (typeof CRM_ERRORS)[number]

/** How a person came back from a CRM provider; undefined for who was not there. */
export type CrmReturn = { readonly connected: string } | { readonly error: CrmError }

const PARAMETERS = ["crm_connected", "crm_error"]

export const isCrmReturn = (query: URLSearchParams): boolean => PARAMETERS.some((name) => query.has(name))

/** Reads what the server put into the address. Anybody can make such an address: what it says is looked up before it is shown. */
export const readCrmReturn = (query: URLSearchParams): CrmReturn | undefined => {
  const error = CRM_ERRORS.find((each) => each === query.get("crm_error"))
  if (error !== undefined) return { error }
  const connected = query.get("crm_connected")
  return connected === null ? undefined : { connected }
}

/** The query without what the return has put there. */
export const withoutCrmReturn = (query: URLSearchParams): URLSearchParams => {
  const rest = new URLSearchParams(query)
  for (const name of PARAMETERS) rest.delete(name)
  return rest
}
