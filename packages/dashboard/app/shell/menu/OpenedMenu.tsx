import { Menu } from "@mantine/core"
import { useRef, useState } from "react"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./OpenedMenu.module.css"
import type { MenuButtonProps } from "./MenuEntry.ts"

/** A button with its menu, which opens as soon as this component is drawn: `MenuButton` draws it only after a press. */
export const OpenedMenu = ({
  label,
  className,
  entries,
  width = 220,
  position = "bottom-end",
  children
}: MenuButtonProps) => {
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(true)
  const withChoice = entries.some(({ isChosen }) => isChosen !== undefined)
  return (
    <Menu
      opened={isOpen}
      onChange={setOpen}
      // This button was drawn after the press, so Mantine cannot return the focus to the pressed one and the focus is
      // set here.
      onClose={() => button.current?.focus()}
      width={width}
      position={position}
      shadow="md"
      radius="lg"
      withInitialFocusPlaceholder={false}
      portalProps={{ target: "#content" }}
    >
      <Menu.Target>
        <button ref={button} type="button" className={className} aria-label={label}>
          {children}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {withChoice ? (
          <Choices entries={entries} />
        ) : (
          entries.map(({ label: name, description, icon, isDangerous, isDisabled, onSelect }) => (
            <Menu.Item
              key={name}
              disabled={isDisabled === true}
              onClick={onSelect}
              className={`${classes.item} ${isDangerous === true ? classes.dangerous : ""}`}
              leftSection={icon === undefined ? undefined : <Icon name={icon} size={16} />}
            >
              <EntryWords label={name} description={description} />
            </Menu.Item>
          ))
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Entries that form a choice, so that exactly one is chosen. */
const Choices = ({ entries }: Pick<MenuButtonProps, "entries">) => (
  <Menu.RadioGroup value={entries.find(({ isChosen }) => isChosen === true)?.label ?? ""}>
    {entries.map(({ label: name, description, isDisabled, onSelect }) => (
      <Menu.RadioItem
        key={name}
        value={name}
        disabled={isDisabled === true}
        onClick={onSelect}
        className={classes.item ?? ""}
        closeMenuOnClick
      >
        <EntryWords label={name} description={description} />
      </Menu.RadioItem>
    ))}
  </Menu.RadioGroup>
)

const EntryWords = ({ label, description }: { readonly label: string; readonly description: string | undefined }) => (
  <>
    {label}
    {description !== undefined && <span className={classes.description}>{description}</span>}
  </>
)
