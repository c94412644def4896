import { element } from "../element.ts"
import { icon } from "../icon.ts"
import type { Catalogue } from "../languages/Catalogue.ts"

/** The longest message that can be typed. A longer text was probably pasted by mistake. */
const LONGEST_MESSAGE = 4_000

const FITS_ITSELF = CSS.supports("field-sizing", "content")

interface ComposerInput {
  readonly texts: Catalogue
  readonly onSend: (text: string) => void
  readonly onStop: () => void
  /** Called with chosen files; undefined if the bot accepts no files. */
  readonly onFiles: ((files: ReadonlyArray<File>) => void) | undefined
}

/** The field for the visitor's message. Enter sends it; Shift and Enter begin a new line. */
export class Composer {
  readonly element: HTMLFormElement
  readonly #input: ComposerInput
  readonly #field: HTMLTextAreaElement
  readonly #send: HTMLButtonElement
  #isRunning = false
  #isHeld = false

  constructor(input: ComposerInput) {
    const { texts } = input
    this.#input = input
    this.#field = element("textarea", {
      rows: 1,
      maxlength: LONGEST_MESSAGE,
      "aria-label": texts.say("field"),
      placeholder: texts.say("placeholder"),
      enterkeyhint: "send",
      input: () => this.#fit(),
      keydown: (event: KeyboardEvent) => this.#pressed(event)
    })
    this.#send = element("button", { type: "submit", class: "send" })
    this.element = element(
      "form",
      {
        class: "composer",
        submit: (event: SubmitEvent) => {
          event.preventDefault()
          if (this.#isRunning) this.#input.onStop()
          else this.#submit()
        }
      },
      input.onFiles && attachButton(texts.say("attach"), input.onFiles),
      this.#field,
      this.#send
    )
    this.set({ isRunning: false, isHeld: false })
    if (input.onFiles !== undefined) takeDropped(this.element, input.onFiles)
  }

  get text(): string {
    return this.#field.value
  }

  set text(text: string) {
    this.#field.value = text
    this.#fit()
  }

  focus(): void {
    this.#field.focus({ preventScroll: true })
  }

  /** Sets whether sending is blocked and whether a reply is being written. */
  set({ isHeld, isRunning }: { readonly isHeld: boolean; readonly isRunning: boolean }): void {
    this.#isRunning = isRunning
    this.#isHeld = isHeld
    this.#send.replaceChildren(icon(isRunning ? "stop" : "send"))
    this.#send.ariaLabel = this.#input.texts.say(isRunning ? "stop" : "send")
    this.#mark()
  }

  #submit(): void {
    const text = this.text.trim()
    if (text === "" || this.#isHeld) return this.focus()
    this.text = ""
    this.#input.onSend(text)
    this.focus()
  }

  #pressed(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
    event.preventDefault()
    // Enter does not stop a running reply, because that could happen by accident.
    if (!this.#isRunning) this.#submit()
  }

  /**
   * Makes the field as high as its text, within the bounds of the styles. Newer browsers do this by the styles alone.
   */
  #fit(): void {
    if (!FITS_ITSELF && this.#field.isConnected) {
      this.#field.style.height = "auto"
      this.#field.style.height = `${this.#field.scrollHeight}px`
    }
    this.#mark()
  }

  /**
   * Updates the button and the field after the text has changed. It uses `aria-disabled`, because a disabled button
   * loses the focus.
   */
  #mark(): void {
    const isOff = !this.#isRunning && (this.#isHeld || this.text.trim() === "")
    this.#send.ariaDisabled = String(isOff)
    // An empty field with `dir="auto"` would show its placeholder from left to right in every language.
    this.#field.dir = this.text === "" ? "" : "auto"
  }
}

/** A button that opens the browser's file dialog. */
const attachButton = (label: string, onFiles: (files: ReadonlyArray<File>) => void): HTMLElement => {
  const chooser = element("input", {
    type: "file",
    multiple: true,
    hidden: true,
    change: () => {
      onFiles([...(chooser.files ?? [])])
      // The value is reset, so that the same file can be chosen again.
      chooser.value = ""
    }
  })
  const button = element(
    "button",
    { type: "button", class: "attach", "aria-label": label, title: label, click: () => chooser.click() },
    icon("attach")
  )
  return element("div", {}, button, chooser)
}

/** Accepts files that are dropped on an element. */
const takeDropped = (target: HTMLElement, onFiles: (files: ReadonlyArray<File>) => void): void => {
  target.addEventListener("dragover", (event) => event.preventDefault())
  target.addEventListener("drop", (event) => {
    const files = [...(event.dataTransfer?.files ?? [])]
    if (files.length === 0) return
    event.preventDefault()
    onFiles(files)
  })
}
