/** A page that shows what the hooks return, and lets the test call their functions: bundled by the test. */
import { createElement, StrictMode, useState } from "react"
import { flushSync } from "react-dom"
import { createRoot } from "react-dom/client"
import { ParleyProvider, useBalance, useDocuments, useParley, useParleyChat, usePlans } from "../../src/index.ts"

const Hooks = () => {
  const [chatId, setChatId] = useState(() => location.hash.slice(1) || undefined)
  const onChat = (id: string) => {
    location.hash = id
    setChatId(id)
  }
  const [imageIds, changeImageIds] = useState<ReadonlyArray<string>>()
  // The next call of the test must see them: React would otherwise render them later.
  const setImageIds = (ids: typeof imageIds) => flushSync(() => changeImageIds(ids))
  const chat = useParleyChat({ chatId, onChat, imageIds })
  const { balance } = useBalance()
  const documents = useDocuments()
  const plans = usePlans()
  Object.assign(globalThis, {
    hooks: { chat, balance, documents, plans, setImageIds, upload: useParley().images.upload }
  })
  const { error, messages, status } = chat
  return createElement(
    "main",
    {},
    createElement("p", { id: "status" }, status),
    createElement("p", { id: "error" }, error?.code ?? ""),
    createElement("p", { id: "available" }, balance?.available ?? ""),
    createElement("p", { id: "uploads" }, documents.uploads.map((each) => each.error?.code ?? each.progress).join(" ")),
    createElement("p", { id: "documents" }, documents.documents?.map(({ status: state }) => state).join(" ") ?? ""),
    createElement("p", { id: "plans" }, plans.plans?.plans.map(({ id }) => id).join(" ") ?? ""),
    ...messages.map(({ content, credits, id, role, state }) =>
      createElement("li", { key: id }, `${role} ${state} ${credits === null ? "-" : "paid"}: ${content}`)
    )
  )
}

/** Another part of the page that shows the balance. */
const Again = () => createElement("p", { id: "again" }, useBalance().balance?.available ?? "")

createRoot(document.querySelector("#page")!).render(
  createElement(
    StrictMode,
    {},
    createElement(ParleyProvider, { baseUrl: "" }, createElement(Hooks), createElement(Again))
  )
)
