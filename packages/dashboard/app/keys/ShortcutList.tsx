import { Modal, Switch } from "@mantine/core"
import { useState } from "react"
import classes from "./ShortcutList.module.css"
import { KEYS, singleKeys } from "./shortcuts.ts"
import { useKeyMessages } from "./useKeyMessages.ts"

export interface ShortcutListProps {
  readonly onClose: () => void
}

const LISTED = [
  ["keys.search", KEYS.search],
  ["keys.newChat", KEYS.newChat],
  ["keys.focus", KEYS.focus],
  ["keys.shortcuts", KEYS.shortcuts],
  ["keys.send", ["Enter"]],
  ["keys.line", ["Shift", "Enter"]],
  ["keys.stop", ["Esc"]]
] as const

/** The dialog with all shortcuts, and with the switch for shortcuts of a single key. */
export const ShortcutList = ({ onClose }: ShortcutListProps) => {
  const { t } = useKeyMessages()
  const [isOn, setOn] = useState(singleKeys.areOn)
  return (
    <Modal opened onClose={onClose} title={t("keys.title")} closeButtonProps={{ "aria-label": t("action.close") }}>
      <dl className={classes.list}>
        {LISTED.map(([label, keys]) => (
          <div key={label} className={classes.row}>
            <dt>{t(label)}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key} className={classes.key}>
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <Switch
        label={t("keys.single")}
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => {
          singleKeys.switch(checked)
          setOn(checked)
        }}
      />
    </Modal>
  )
}
