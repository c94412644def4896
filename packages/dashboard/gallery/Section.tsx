import { Title } from "@mantine/core"
import type { ReactNode } from "react"
import classes from "./Gallery.module.css"

export interface SectionProps {
  readonly title: string
  readonly children: ReactNode
}

export const Section = ({ title, children }: SectionProps) => (
  <section className={classes.section} aria-label={title}>
    <Title order={2} size="h3">
      {title}
    </Title>
    {children}
  </section>
)
