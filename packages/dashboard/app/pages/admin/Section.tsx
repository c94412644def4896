import { Text, Title } from "@mantine/core"
import type { ReactNode } from "react"
import classes from "./Admin.module.css"

export interface SectionProps {
  readonly title: string
  /** A sentence under the title. */
  readonly text?: string | undefined
  /** The controls beside the title. */
  readonly tools?: ReactNode
  readonly children: ReactNode
}

/** A part of a page with its title. */
export const Section = ({ title, text, tools, children }: SectionProps) => (
  <section aria-label={title}>
    <div className={classes.head}>
      <div>
        <Title order={2} size="h4">
          {title}
        </Title>
        {text !== undefined && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </div>
      {tools !== undefined && <div className={classes.tools}>{tools}</div>}
    </div>
    {children}
  </section>
)

/** A figure with its name and an explaining remark. */
export interface Tile {
  readonly name: string
  readonly value: string
  readonly remark?: string | undefined
  /** True if the figure needs attention; the remark explains why. */
  readonly isBad?: boolean
}

/** Figures side by side. */
export const Tiles = ({ tiles }: { readonly tiles: ReadonlyArray<Tile> }) => (
  <dl className={classes.tiles}>
    {tiles.map(({ isBad = false, name, remark, value }) => (
      <div key={name} className={classes.tile} data-bad={isBad}>
        <dt>{name}</dt>
        <dd className={classes.value}>{value}</dd>
        {remark !== undefined && <dd className={classes.remark}>{remark}</dd>}
      </div>
    ))}
  </dl>
)
