import { ActionIcon, Anchor, Button, Drawer } from "@mantine/core"
import { useState } from "react"
import { ConfirmDialog } from "../app/shell/ConfirmDialog.tsx"
import { MenuButton } from "../app/shell/menu/MenuButton.tsx"
import { Icon } from "../app/theme/Icon.tsx"
import classes from "./Gallery.module.css"
import { Section } from "./Section.tsx"

const nothing = () => undefined

const VARIANTS = ["filled", "default", "light", "subtle", "outline"] as const

export const ActionSamples = () => (
  <>
    <Section title="Buttons">
      {VARIANTS.map((variant) => (
        <div key={variant} className={classes.row}>
          <Button variant={variant}>{variant}</Button>
          <Button variant={variant} size="xs">
            small
          </Button>
          <Button variant={variant} leftSection={<Icon name="upload" />}>
            with an icon
          </Button>
          <Button variant={variant} disabled>
            disabled
          </Button>
          <Button variant={variant} loading>
            loading
          </Button>
        </div>
      ))}
      <div className={classes.row}>
        <Button color="red.8">dangerous</Button>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="An icon alone">
          <Icon name="settings" />
        </ActionIcon>
        <ActionIcon variant="filled" size="lg" aria-label="A filled icon">
          <Icon name="arrowUp" />
        </ActionIcon>
        <ActionIcon variant="filled" size="lg" aria-label="A disabled icon" disabled>
          <Icon name="arrowUp" />
        </ActionIcon>
        <Anchor href="#link">A link</Anchor>
      </div>
    </Section>
    <Section title="Menus and dialogs">
      <div className={classes.row}>
        <MenuButton
          className="menu-button"
          label="A menu"
          position="bottom-start"
          entries={[
            { label: "Rename", icon: "edit", onSelect: nothing },
            { label: "Not possible", icon: "share", isDisabled: true, onSelect: nothing },
            { label: "Delete", icon: "trash", isDangerous: true, onSelect: nothing }
          ]}
        >
          <Icon name="dots" />
        </MenuButton>
        <MenuButton
          className="menu-button"
          label="A menu of choices"
          position="bottom-start"
          entries={[
            { label: "Chosen", description: "With a description", isChosen: true, onSelect: nothing },
            { label: "Other", isChosen: false, onSelect: nothing }
          ]}
        >
          <Icon name="chevronDown" />
        </MenuButton>
        <OpensDialog label="A dialog" isBusy={false} />
        <OpensDialog label="A dialog that waits" isBusy />
        <OpensDialog label="A dialog with a problem" isBusy={false} problem={new Error("It failed.")} />
        <OpensDrawer />
      </div>
    </Section>
  </>
)

interface OpensDialogProps {
  readonly label: string
  readonly isBusy: boolean
  readonly problem?: unknown
}

const OpensDialog = ({ label, ...state }: OpensDialogProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title="Delete this chat?"
          text="It cannot be taken back."
          action="Delete"
          onConfirm={nothing}
          onClose={() => setOpen(false)}
          {...state}
        />
      )}
    </>
  )
}

const OpensDrawer = () => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        A drawer
      </Button>
      <Drawer
        opened={isOpen}
        position="right"
        title="A source"
        closeButtonProps={{ "aria-label": "Close" }}
        onClose={() => setOpen(false)}
      >
        The text beside the page.
      </Drawer>
    </>
  )
}
