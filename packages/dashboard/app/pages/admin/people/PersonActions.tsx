import type { Person } from "@parley/client"
import { Button } from "@mantine/core"
import { useState } from "react"
import { useAdminMessages } from "../useAdminMessages.ts"
import classes from "../Admin.module.css"
import { Section } from "../Section.tsx"
import { ActionDialog, type ActionKind } from "./ActionDialog.tsx"

/** The actions that are possible in the person's state. */
const actionsOf = ({ account, blockedAt }: Person): ReadonlyArray<ActionKind> => [
  ...(account === null ? [] : (["tier", "grant", "adjust"] as const)),
  ...(account?.pinned === true ? (["unpin"] as const) : []),
  "signOut",
  blockedAt === null ? "block" : "unblock"
]

/** The buttons for an owner's actions on a person. Each opens a dialog for the details and the reason. */
export const PersonActions = ({ person }: { readonly person: Person }) => {
  const { t } = useAdminMessages()
  const [asking, setAsking] = useState<ActionKind>()
  const [done, setDone] = useState<ActionKind>()
  const ask = (kind: ActionKind) => () => {
    setDone(undefined)
    setAsking(kind)
  }
  return (
    <Section title={t("admin.actions")} text={t("admin.actions.text")}>
      <div className={classes.actions}>
        {actionsOf(person).map((kind) => (
          <Button
            key={kind}
            variant="default"
            {...(kind === "block" ? { c: "var(--danger)" } : {})}
            onClick={ask(kind)}
          >
            {t(`admin.action.${kind}`)}
          </Button>
        ))}
      </div>
      <p role="status">{done !== undefined && t("admin.action.done", { action: t(`admin.action.${done}`) })}</p>
      {asking !== undefined && (
        <ActionDialog
          person={person}
          kind={asking}
          onClose={() => setAsking(undefined)}
          onDone={() => {
            setAsking(undefined)
            setDone(asking)
          }}
        />
      )}
    </Section>
  )
}
