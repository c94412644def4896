import { readBalance } from "./api.js"
import { element, find } from "./element.js"
import { createPoll } from "./poll.js"
import { countOf, dayOf } from "./wording.js"

/**
 * The balance in the header and in the credits dialog.
 * @param {{ onProblem: (error: unknown) => void }} input
 */
export const createBalance = ({ onProblem }) => {
  const figure = find("balance", HTMLElement)
  const details = find("balance-details", HTMLElement)

  /** @param {import("./api.js").Balance} balance */
  const show = (balance) => {
    figure.textContent = countOf(balance.available, "credit")
    details.replaceChildren(
      ...[
        ["Available", countOf(balance.available, "credit"), "Bought credits and what is left of the allowance"],
        ["Monthly allowance", countOf(balance.allowance, "credit"), `Set anew on ${dayOf(balance.nextResetAt)}`],
        ["Bought or given", countOf(balance.topup, "credit"), "Never expires"],
        ...(balance.held > 0 ? [["Set aside", countOf(balance.held, "credit"), "For replies being written"]] : []),
        ...(balance.debt > 0 ? [["Owed", countOf(balance.debt, "credit"), "Taken from the next credits"]] : [])
      ].flatMap(([name = "", value = "", meaning = ""]) => [
        element("dt", {}, name),
        element("dd", {}, element("strong", {}, value), element("span", { class: "quiet" }, meaning))
      ])
    )
  }

  const refresh = async () => {
    const balance = await readBalance()
    show(balance)
    return balance
  }

  // A reply that was stopped is settled a moment after the connection closes; until then its credits are set aside.
  let rounds = 0
  const settling = createPoll(
    async () => {
      rounds += 1
      const balance = await refresh()
      return balance.held > 0 && rounds < 6
    },
    { first: 300, longest: 3_000 }
  )

  return {
    refresh,
    /** Reads the balance after a reply, and again while credits are still set aside. */
    refreshUntilSettled: async () => {
      try {
        const balance = await refresh()
        rounds = 0
        if (balance.held > 0) settling.start()
      } catch (error) {
        onProblem(error)
      }
    },
    stop: () => settling.stop()
  }
}
