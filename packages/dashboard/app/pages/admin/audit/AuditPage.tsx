import { TextInput } from "@mantine/core"
import { useDeferredValue, useState } from "react"
import { useAdminMessages } from "../useAdminMessages.ts"
import { Icon } from "../../../theme/Icon.tsx"
import classes from "../Admin.module.css"
import { AdminFrame } from "../AdminFrame.tsx"
import { AuditSection } from "./AuditSection.tsx"

/** The page with the actions of operators: all, or those on one person. */
export const AuditPage = () => {
  const { t } = useAdminMessages()
  const [person, setPerson] = useState("")
  const wanted = useDeferredValue(person.trim())
  return (
    <AdminFrame title={t("admin.audit")} lead={t("admin.audit.lead")}>
      <TextInput
        className={classes.search ?? ""}
        type="search"
        label={t("admin.audit.person")}
        description={t("admin.audit.person.text")}
        leftSection={<Icon name="search" size={16} />}
        maxLength={255}
        value={person}
        onChange={({ currentTarget }) => setPerson(currentTarget.value)}
      />
      <AuditSection userId={wanted} />
    </AdminFrame>
  )
}
