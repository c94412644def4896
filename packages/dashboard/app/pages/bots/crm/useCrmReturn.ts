import { useEffect, useState } from "react"
import { useSearchParams } from "react-router"
import { type CrmReturn, isCrmReturn, readCrmReturn, withoutCrmReturn } from "./crmReturn.ts"

/**
 * The result with which a person returned from a CRM provider, until the person dismisses it. It is removed from the
 * address at once.
 */
export const useCrmReturn = (): { readonly returned: CrmReturn | undefined; readonly dismiss: () => void } => {
  const [query, setQuery] = useSearchParams()
  const [returned, setReturned] = useState(() => readCrmReturn(query))
  useEffect(() => {
    if (isCrmReturn(query)) setQuery(withoutCrmReturn(query), { replace: true })
  }, [query, setQuery])
  return { returned, dismiss: () => setReturned(undefined) }
}
