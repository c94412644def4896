import { SegmentedControl, Title, useMantineColorScheme } from "@mantine/core"
import { ActionSamples } from "./ActionSamples.tsx"
import { ChatSamples } from "./ChatSamples.tsx"
import { DataSamples } from "./DataSamples.tsx"
import { FieldSamples } from "./FieldSamples.tsx"
import classes from "./Gallery.module.css"
import { StateSamples } from "./StateSamples.tsx"
import { TokenSamples } from "./TokenSamples.tsx"

/** Every shared component with its states, in the appearance that is chosen at the top. */
export const Gallery = () => {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    // Menus open in the content.
    <main id="content" className={classes.page}>
      <div className={classes.column}>
        <header className={classes.head}>
          <Title order={1} size="h2">
            Components
          </Title>
          <SegmentedControl
            aria-label="Appearance"
            value={colorScheme}
            onChange={(value) => setColorScheme(value as typeof colorScheme)}
            data={[
              { value: "light", label: "Light" },
              { value: "dark", label: "Dark" },
              { value: "auto", label: "As the system" }
            ]}
          />
        </header>
        <TokenSamples />
        <ActionSamples />
        <FieldSamples />
        <StateSamples />
        <DataSamples />
        <ChatSamples />
      </div>
    </main>
  )
}
