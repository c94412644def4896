import { Button, Text, Title } from "@mantine/core"
import { StackedDays } from "../app/charts/StackedDays.tsx"
import { Table } from "../app/pages/admin/Table.tsx"
import { Icon } from "../app/theme/Icon.tsx"
import classes from "./Gallery.module.css"
import { Section } from "./Section.tsx"

const PEOPLE = [
  { id: "ann@example.org", tier: "Plus", credits: 1_200 },
  { id: "ben@example.org", tier: "Basic", credits: 35 }
]

const COLUMNS = [
  { name: "Person", isLong: true, cell: ({ id }: (typeof PEOPLE)[number]) => id },
  { name: "Tier", cell: ({ tier }: (typeof PEOPLE)[number]) => tier },
  { name: "Credits", isNumber: true, cell: ({ credits }: (typeof PEOPLE)[number]) => credits }
]

const SERIES = ["One", "Two", "Three", "Four", "Five", "Six"].map((name) => ({ id: name, name }))

const DAYS = [1, 2, 3, 4, 5, 6, 7].map((day) => ({
  day: `2026-03-0${day}`,
  values: Object.fromEntries(SERIES.map(({ id }, place) => [id, (day * (place + 2)) % 7]))
}))

export const DataSamples = () => (
  <>
    <Section title="Cards and lists">
      <div className={classes.cards}>
        <div className={classes.card}>
          <Title order={3} size="h4">
            Plus
          </Title>
          <Text c="dimmed">1,500 credits a month</Text>
          <Button mt="md" fullWidth>
            Choose
          </Button>
        </div>
        <div className={classes.card}>
          <Icon name="file" />
          <Text>lease.pdf</Text>
          <Text size="sm" c="dimmed">
            12 pages
          </Text>
        </div>
      </div>
      <ul className="rows">
        {PEOPLE.map(({ id }) => (
          <li key={id} className={classes.card}>
            {id}
          </li>
        ))}
      </ul>
    </Section>
    <Section title="Tables">
      <Table label="People" rows={PEOPLE} keyOf={({ id }) => id} columns={COLUMNS} none="There are no people yet." />
      <Table label="Empty" rows={[]} keyOf={String} columns={[]} none="There are no people yet." />
    </Section>
    <Section title="Charts">
      <StackedDays label="Credits by day" days={DAYS} series={SERIES} valueText={(value) => `${value} credits`} />
    </Section>
  </>
)
