import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "react-router"
import { meQuery, serverSettingsQuery, signOut } from "../../api/session.ts"
import { useMessages } from "../../messages/MessagesProvider.tsx"
import { forgetDrafts } from "../../session/forgetDrafts.ts"
import classes from "./AccountMenu.module.css"
import { BalanceLeft } from "../BalanceLeft.tsx"
import { MenuButton } from "./MenuButton.tsx"

/** The menu with the signed-in person, the plan, and the sign-out. */
export const AccountMenu = () => {
  const { t } = useMessages()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { data: me } = useQuery(meQuery)
  const { data: settings } = useQuery(serverSettingsQuery)
  if (me == null) return null
  const name = me.name ?? me.email ?? me.userId
  const way = settings?.signIn
  const canSignOut = way !== undefined && (way.kind === "development" || way.signOutUrl !== null)
  const leave = async () => {
    if (way === undefined) return
    const next = await signOut(way)
    forgetDrafts()
    if (next !== undefined) return location.assign(next)
    queryClient.setQueryData(meQuery.queryKey, null)
    void navigate("/")
  }
  const person = (
    <>
      <span className={classes.initial} aria-hidden="true">
        {name.slice(0, 1).toUpperCase()}
      </span>
      <span className={classes.words}>
        <span className="visually-hidden">{t("account.label")}: </span>
        <span className={classes.name}>{name}</span>
        <span className={classes.plan}>
          {t("account.plan", { plan: me.tier.name })}
          <BalanceLeft />
        </span>
      </span>
    </>
  )
  if (!canSignOut) return <div className={classes.account}>{person}</div>
  const out = { label: t("account.signOut"), icon: "signOut", onSelect: () => void leave() } as const
  return (
    <MenuButton className={classes.account} entries={[out]} width="target" position="top">
      {person}
    </MenuButton>
  )
}
