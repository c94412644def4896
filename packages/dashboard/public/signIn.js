import * as api from "./api.js"
import { find } from "./element.js"
import { showProblem } from "./notice.js"

/** @typedef {{ kind: "development" } | { kind: "elsewhere", url: string | null, signOutUrl: string | null }} SignInWay */

/**
 * The page that people see before they are signed in.
 * @param {{ way: SignInWay, onSignedIn: () => void }} input
 */
export const createSignIn = ({ way, onSignedIn }) => {
  const page = find("sign-in", HTMLElement)
  const form = find("sign-in-form", HTMLFormElement)
  const email = find("email", HTMLInputElement)
  const button = find("sign-in-button", HTMLButtonElement)
  const problem = find("sign-in-problem", HTMLElement)
  const elsewhere = find("sign-in-elsewhere", HTMLElement)

  form.hidden = way.kind !== "development"
  elsewhere.hidden = way.kind !== "elsewhere"
  const link = find("sign-in-link", HTMLAnchorElement)
  if (way.kind === "elsewhere" && way.url !== null) link.href = way.url
  else link.hidden = true
  find("sign-out", HTMLButtonElement).hidden = way.kind === "elsewhere" && way.signOutUrl === null

  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    problem.replaceChildren()
    button.disabled = true
    try {
      await api.signIn(email.value.trim())
      onSignedIn()
    } catch (error) {
      showProblem(problem, error)
      email.focus()
    } finally {
      button.disabled = false
    }
  })

  return {
    /** @param {string} [why] a sentence, where the person was signed in before */
    show: (why) => {
      page.hidden = false
      if (why === undefined) problem.replaceChildren()
      else showProblem(problem, new api.ApiProblem(401, why))
      if (way.kind === "development") email.focus()
    },
    hide: () => {
      page.hidden = true
      problem.replaceChildren()
    },
    /** Signs out: here, or at the page of the identity provider. */
    out: async () => {
      if (way.kind === "development") await api.signOut()
      else if (way.signOutUrl !== null) location.assign(way.signOutUrl)
    }
  }
}
