import { Suspense, useEffect, useRef, useState } from "react"
import { useNavigate } from "react-router"
import { PAGE_PATHS } from "../../src/pagePaths.ts"
import { lazyPart } from "../parts/lazyPart.ts"
import { type Command, commandOf, MESSAGE_FORM } from "./shortcuts.ts"

const Palette = lazyPart(async () => (await import("./Palette.tsx")).Palette)
const ShortcutList = lazyPart(async () => (await import("./ShortcutList.tsx")).ShortcutList)

type Dialog = Extract<Command, "search" | "shortcuts">

/** Runs the keyboard shortcuts on every page, and shows their dialogs. */
export const KeyCommands = () => {
  const navigate = useNavigate()
  const [opened, setOpened] = useState<Dialog>()
  const origin = useRef<Element>(null)
  const close = () => {
    setOpened(undefined)
    if (origin.current instanceof HTMLElement) origin.current.focus()
  }
  useEffect(() => {
    const run = (command: Command) => {
      if (command === opened) return close()
      if (command === "search" || command === "shortcuts") {
        origin.current = document.activeElement
        return setOpened(command)
      }
      const field = document.querySelector<HTMLElement>(`#${MESSAGE_FORM} textarea`)
      if (command === "focus" && field !== null) return field.focus()
      // The field of a new chat focuses itself.
      void navigate(PAGE_PATHS.newChat)
    }
    const hear = (event: KeyboardEvent) => {
      const command = commandOf(event)
      if (command === undefined || event.defaultPrevented) return
      // While a dialog is open, only the shortcut that opened it runs, and closes it.
      if (command !== opened && document.querySelector("[role=dialog]") !== null) return
      event.preventDefault()
      run(command)
    }
    addEventListener("keydown", hear)
    return () => removeEventListener("keydown", hear)
  })
  return (
    <Suspense>
      {opened === "search" && (
        <Palette onClose={close} onLeft={() => setOpened(undefined)} onShortcuts={() => setOpened("shortcuts")} />
      )}
      {opened === "shortcuts" && <ShortcutList onClose={close} />}
    </Suspense>
  )
}
