import { find } from "./element.js"

/**
 * Asks before something is lost. Focus goes back to where it was.
 * @param {{ question: string, verb: string }} wording the question and the name of the button that says yes
 * @returns {Promise<boolean>} false where the dialog was left by its other button or by Esc
 */
export const confirm = ({ question, verb }) => {
  const dialog = find("confirm", HTMLDialogElement)
  find("confirm-question", HTMLElement).textContent = question
  find("confirm-yes", HTMLButtonElement).textContent = verb
  dialog.returnValue = ""
  dialog.showModal()
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true })
  })
}
