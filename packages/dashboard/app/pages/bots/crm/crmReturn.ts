/** The reasons why a connection failed. */
const CRM_ERRORS = ["denied", "state", "exchange", "bot"] as const
export type CrmError = (typeof CRM_ERRORS)[number]

/** The result with which a person returned from a CRM provider; undefined for other visits. */
export type CrmReturn = { readonly connected: string } | { readonly error: CrmError }

const PARAMETERS = ["crm_connected", "crm_error"]

export const isCrmReturn = (query: URLSearchParams): boolean => PARAMETERS.some((name) => query.has(name))

/**
 * Reads the query that the server wrote into the address. Any site can forge this address, so the page asks the server
 * about the connection before it shows the result.
 */
export const readCrmReturn = (query: URLSearchParams): CrmReturn | undefined => {
  const error = CRM_ERRORS.find((each) => each === query.get("crm_error"))
  if (error !== undefined) return { error }
  const connected = query.get("crm_connected")
  return connected === null ? undefined : { connected }
}

/** The query without the parameters that the server wrote. */
export const withoutCrmReturn = (query: URLSearchParams): URLSearchParams => {
  const rest = new URLSearchParams(query)
  for (const name of PARAMETERS) rest.delete(name)
  return rest
}
