import { expect, it } from "vitest"
import { wholeProject } from "../looks/wholeProject.ts"
import { CHAT_LOOKS } from "../looks/WindowLook.ts"
import { describeInChromium } from "../support/describeInChromium.ts"

describeInChromium("a project", {}, (stage) => {
  wholeProject(stage, CHAT_LOOKS)

  it("is the start of a new chat only while the address names it", async () => {
    const dashboard = await stage.openAs("planner-start@example.org")
    const { page } = dashboard
    const made = await page.context().request.post("/api/projects", { data: { name: "Tea" } })
    const { id } = (await made.json()) as { id: string }
    await page.goto(`/?project=${id}`)
    const note = page.getByText("Project: Tea · 0 documents")
    await note.waitFor()
    await page.reload()
    await note.waitFor()
    await dashboard.navigation.getByRole("link", { name: "New chat" }).click()
    await note.waitFor({ state: "detached" })
    await dashboard.ask("Where do storks spend the winter?")
    await dashboard.replied()
    const listed = (await (await page.context().request.get("/api/chats")).json()) as {
      chats: ReadonlyArray<{ projectId: string | null }>
    }
    expect(listed.chats.map(({ projectId }) => projectId)).toEqual([null])
    expect(dashboard.complaintsBut()).toEqual([])
  })
})
