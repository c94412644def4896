import { readCreditHistory } from "./api.js"
import { element, find } from "./element.js"
import { showProblem } from "./notice.js"
import { inDigits, momentOf } from "./wording.js"

const PAGE = 20

/** @type {Record<string, string>} */
const MEANING = {
  usage: "Reply",
  reset: "Monthly allowance",
  topup: "Credits bought",
  grant: "Credits given",
  refund: "Refund",
  adjustment: "Correction"
}

/** The dialog with the balance and every change of it, newest first. */
export const createCreditHistory = () => {
  const dialog = find("credits", HTMLDialogElement)
  const rows = find("credit-rows", HTMLTableSectionElement)
  const filter = find("credit-type", HTMLSelectElement)
  const more = find("credit-more", HTMLButtonElement)
  const empty = find("credit-empty", HTMLElement)
  const problem = find("credit-problem", HTMLElement)
  let offset = 0

  const load = async () => {
    problem.replaceChildren()
    try {
      const page = await readCreditHistory({ limit: PAGE, offset, type: filter.value })
      if (offset === 0) rows.replaceChildren()
      rows.append(...page.transactions.map(rowOf))
      offset += page.transactions.length
      more.hidden = page.transactions.length === 0 || offset >= page.total
      empty.hidden = offset > 0
    } catch (error) {
      showProblem(problem, error)
    }
  }
  const reload = () => {
    offset = 0
    return load()
  }

  filter.addEventListener("change", reload)
  more.addEventListener("click", load)
  find("open-credits", HTMLButtonElement).addEventListener("click", () => {
    dialog.showModal()
    void reload()
  })
}

/** @param {import("./api.js").Transaction} transaction */
const rowOf = (transaction) => {
  const sign = transaction.amount > 0 ? "+" : transaction.amount < 0 ? "−" : ""
  const what = MEANING[transaction.transaction_type] ?? transaction.transaction_type
  return element(
    "tr",
    {},
    element("td", {}, momentOf(transaction.created_at)),
    element("td", {}, transaction.model === null ? what : `${what}, ${transaction.model}`),
    element("td", { class: "number" }, `${sign}${inDigits(Math.abs(transaction.amount))}`),
    element("td", { class: "number" }, inDigits(transaction.balance_after))
  )
}
