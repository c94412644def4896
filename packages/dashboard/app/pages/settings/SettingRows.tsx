import { Title } from "@mantine/core"
import type { ReactNode } from "react"
import classes from "./SettingsPage.module.css"

/** A section with settings of one kind. */
export const Section = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className={classes.section}>
    <Title order={2} size="h4">
      {title}
    </Title>
    {children}
  </section>
)

/** A setting, with its label or its explanation. */
export const Setting = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div className={classes.setting}>
    <span>{label}</span>
    {children}
  </div>
)
