import { Checkbox, NumberInput, SegmentedControl, Select, Switch, Textarea, TextInput } from "@mantine/core"
import { useState } from "react"
import { GrowingField } from "../app/chat/composer/GrowingField.tsx"
import { ColourField } from "../app/pages/bots/editor/ColourField.tsx"
import { accentColour } from "../app/theme/plainColours.ts"
import classes from "./Gallery.module.css"
import { Section } from "./Section.tsx"

export const FieldSamples = () => {
  const [colour, setColour] = useState(accentColour)
  const [words, setWords] = useState("A question that grows with its words")
  return (
    <Section title="Fields">
      <div className={classes.cards}>
        <TextInput label="Empty" placeholder="Placeholder" />
        <TextInput label="Filled" description="With a description" defaultValue="Some words" />
        <TextInput label="Refused" error="It must not be empty." />
        <TextInput label="Disabled" defaultValue="Some words" disabled />
        <NumberInput label="A number" defaultValue={1_200} thousandSeparator="," />
        <Select label="A choice" data={["Basic", "Plus"]} defaultValue="Plus" />
        <Textarea label="Several lines" rows={3} defaultValue={"One\nTwo"} />
        <ColourField value={colour} isRefused={false} onChange={setColour} />
      </div>
      <GrowingField label="Your message" placeholder="Ask" value={words} onChange={setWords} />
      <div className={classes.row}>
        <Checkbox label="Chosen" defaultChecked />
        <Checkbox label="Not chosen" />
        <Checkbox label="Disabled" disabled />
        <Switch label="On" defaultChecked />
        <Switch label="Off" />
        <Switch label="Disabled" disabled />
        <SegmentedControl aria-label="One of three" data={["Day", "Week", "Month"]} defaultValue="Week" />
      </div>
    </Section>
  )
}
