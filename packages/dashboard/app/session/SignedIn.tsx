import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { meQuery } from "../api/session.ts"
import { Loading } from "../shell/Loading.tsx"
import { ProblemNotice } from "../shell/ProblemNotice.tsx"
import { SignInPage } from "./SignInPage.tsx"

/** Shows its children to signed-in people, and the sign-in page to others. */
export const SignedIn = ({ children }: { readonly children: ReactNode }) => {
  const queryClient = useQueryClient()
  const { data: me, error, refetch } = useQuery(meQuery)
  const [lastUser, setLastUser] = useState<string>()
  if (me != null && me.userId !== lastUser) setLastUser(me.userId)

  // The key differs for each person, so that no state of one person remains on the page for the next.
  if (me != null) return <Session key={me.userId}>{children}</Session>
  if (me === undefined) {
    return error === null ? <Loading /> : <ProblemNotice error={error} onRetry={() => void refetch()} />
  }
  const enter = async () => {
    queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== meQuery.queryKey[0] })
    await refetch()
  }
  return <SignInPage hasEnded={lastUser !== undefined} onSignedIn={enter} />
}

const Session = ({ children }: { readonly children: ReactNode }) => children
