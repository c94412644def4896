import { find } from "./element.js"

/**
 * Where people write: Enter sends, Shift+Enter begins a new line, Esc stops the reply.
 * @param {{ onSend: (text: string) => void, onStop: () => void }} input
 */
export const createComposer = ({ onSend, onStop }) => {
  const form = find("composer", HTMLFormElement)
  const field = find("question", HTMLTextAreaElement)
  const sendButton = find("send", HTMLButtonElement)
  const stopButton = find("stop", HTMLButtonElement)
  let isWriting = false

  const submit = () => {
    const text = field.value.trim()
    if (text === "" || isWriting) return
    field.value = ""
    onSend(text)
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    submit()
    field.focus()
  })
  field.addEventListener("keydown", (event) => {
    // While a word is being composed, Enter accepts it.
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
    event.preventDefault()
    submit()
  })
  stopButton.addEventListener("click", () => {
    onStop()
    field.focus()
  })
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isWriting || document.querySelector("dialog[open]") !== null) return
    event.preventDefault()
    onStop()
    field.focus()
  })

  return {
    /** @param {boolean} writing whether a reply is being written */
    setWriting: (writing) => {
      isWriting = writing
      sendButton.hidden = writing
      stopButton.hidden = !writing
    },
    /** Gives back a question that got no reply, unless something else was begun. @param {string} text */
    restore: (text) => {
      if (field.value.trim() === "") field.value = text
    },
    focus: () => field.focus(),
    clear: () => {
      field.value = ""
    }
  }
}

/** @typedef {ReturnType<typeof createComposer>} Composer */
