import { ParleyError } from "@parley/client"
import { Alert, Badge, Button, Text } from "@mantine/core"
import badge from "../app/pages/bots/BotBadge.module.css"
import { StateBadge } from "../app/pages/bots/people/StateBadge.tsx"
import { ProgressBar } from "../app/pages/documents/ProgressBar.tsx"
import { CrashBoundary } from "../app/shell/CrashBoundary.tsx"
import { Loading } from "../app/shell/Loading.tsx"
import { ProblemNotice } from "../app/shell/ProblemNotice.tsx"
import { Icon } from "../app/theme/Icon.tsx"
import classes from "./Gallery.module.css"
import { Section } from "./Section.tsx"

const nothing = () => undefined

const TONES = [
  ["on", "Active"],
  ["capped", "Cap reached"],
  ["off", "Inactive"]
] as const

const isQuiet = { message: { color: "var(--text)" } }

const Crashing = (): never => {
  throw new Error("A part of the page fails.")
}

export const StateSamples = () => (
  <>
    <Section title="Notices">
      <Alert
        color="green"
        variant="light"
        role="status"
        icon={<Icon name="check" />}
        title="It worked"
        styles={isQuiet}
      >
        Your credits are there.
      </Alert>
      <Alert color="yellow" variant="light" role="status" styles={isQuiet}>
        Payments of this server are a rehearsal.
      </Alert>
      <Alert color="gray" variant="light" role="status" title="Nothing was charged" styles={isQuiet}>
        You left the checkout.
      </Alert>
      <ProblemNotice
        error={new ParleyError({ code: "insufficient_credits", message: "", status: 402, details: { available: 2 } })}
        onDismiss={nothing}
      />
      <ProblemNotice error={new ParleyError({ code: "network_error", message: "" })} onRetry={nothing} />
      <div className={classes.row}>
        {TONES.map(([tone, words]) => (
          <Badge key={tone} variant="light" className={badge.badge ?? ""} data-tone={tone}>
            {words}
          </Badge>
        ))}
        <StateBadge state="waiting" />
        <StateBadge state="open" />
        <StateBadge state="solved" />
      </div>
    </Section>
    <Section title="Empty, waiting and failed">
      <div className="none">
        <Text fw={600}>No documents yet</Text>
        <Text size="sm" c="dimmed">
          Drop a file here, or choose one.
        </Text>
        <Button mt="sm">Upload</Button>
      </div>
      <Loading />
      <ProgressBar label="A third is done" part={1 / 3} />
      <CrashBoundary>
        <Crashing />
      </CrashBoundary>
    </Section>
  </>
)
