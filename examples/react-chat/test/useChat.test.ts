import { runtimeOf } from "@parley/core/effect"
import { Chat } from "@ai-sdk/react"
import { parleyFetch } from "@parley/adapters-http"
import { createTestParley } from "@parley/core/testing/parley"
import { createElement } from "react"
import { renderToStaticMarkup } from "react-dom/server"
import { expect, it } from "vitest"
import { UseChatPage } from "../app/UseChatPage.tsx"
import { parleyTransport } from "../app/transport.ts"

it("sends what was said, and shows each reply as it came with its cost", async () => {
  await using parley = await createTestParley()
  parley.model.says(["In ", "March."]).says("On chimneys.")
  const handler = parleyFetch({
    runtime: runtimeOf(parley),
    baseUrl: "http://localhost",
    authenticate: () => ({ userId: "ann" })
  })
  const overHandler = async (input: string | URL | Request, init?: RequestInit) => handler(new Request(input, init))
  const chat = new Chat({ transport: parleyTransport({ api: "http://localhost/api/chat", fetch: overHandler }) })
  await chat.sendMessage({ text: "When do storks return?" })
  await chat.sendMessage({ text: "And where do they nest?" })
  const shown = renderToStaticMarkup(createElement(UseChatPage, { chat }))
  const articles = [...shown.matchAll(/<article class="(\w+)">(.*?)<\/article>/g)]
  expect(articles.map(([, role, html = ""]) => [role, html.replaceAll(/<[^>]*>/g, "")])).toEqual([
    ["user", "When do storks return?"],
    ["assistant", "In March. 1 credits, 99 left"],
    ["user", "And where do they nest?"],
    ["assistant", "On chimneys. 1 credits, 98 left"]
  ])
  expect(parley.model.asked).toHaveLength(2)
  expect(parley.model.asked[1]?.messages.map(({ content }) => content)).toContain("In March.")
})
