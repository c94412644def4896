import { expect, it } from "vitest"
import { chooser, everyFile, FILE_LOOKS, fileOf } from "../looks/everyFile.ts"
import { describeWidget, type Stage, type VisitOptions } from "../support/describeWidget.ts"
import { CONFIG, KEY } from "../support/ScriptedService.ts"
import type { WidgetPage } from "../support/WidgetPage.ts"

const lines = (widget: WidgetPage) => widget.frame.getByRole("list", { name: "Attached files" }).getByRole("listitem")

const opened = async (stage: Stage, options: VisitOptions = {}) => {
  stage.service.configure(KEY, { ...CONFIG, visitorUploads: true })
  const widget = await stage.visit(options)
  await widget.open()
  return widget
}

describeWidget("a visitor's files", (stage) => {
  it("are not offered unless the bot takes them", async () => {
    const widget = await stage.visit()
    await widget.open()
    expect(await widget.frame.getByRole("button", { name: "Attach a file" }).count()).toBe(0)
  })

  it("begin the conversation, which is asked about them; the chat says that they are read, and when they can be used", async () => {
    const widget = await opened(stage)
    stage.service.fileAnswers.push({ status: "processing" })
    const [choice] = await Promise.all([
      widget.page.waitForEvent("filechooser"),
      widget.frame.getByRole("button", { name: "Attach a file" }).click()
    ])
    await choice.setFiles(fileOf("receipt <b>.txt"))
    await expect.poll(() => lines(widget).allTextContents()).toEqual(["receipt <b>.txt Being read…"])
    stage.service.files = [{ filename: "receipt <b>.txt", status: "ready", reason: null }]
    await expect
      .poll(() => lines(widget).allTextContents(), { timeout: 10_000 })
      .toEqual(["receipt <b>.txt Ready: ask about it."])
    await widget.ask("What did I buy?")
    await expect.poll(() => stage.service.asked.at(-1)?.conversationId).toBeDefined()
    expect(stage.service.sentFiles[0]).toContain(stage.service.asked.at(-1)?.visitorId ?? "no visitor")
    await widget.page.reload()
    await widget.open()
    await expect.poll(() => lines(widget).allTextContents()).toEqual(["receipt <b>.txt Ready: ask about it."])
    await widget.frame.getByRole("button", { name: "Start a new conversation" }).click()
    await expect.poll(() => lines(widget).count()).toBe(0)
    expect(widget.complaints).toEqual([])
  })

  it("chosen while the first message is under way belong to the conversation that it begins", async () => {
    const widget = await opened(stage)
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    await widget.page.context().route("**/api/widget/chat", async (route) => {
      await held
      await route.continue()
    })
    await widget.ask("Hello")
    await chooser(widget).setInputFiles(fileOf("late.txt"))
    expect(stage.service.sentFiles).toEqual([])
    release()
    await expect.poll(() => lines(widget).allTextContents()).toEqual(["late.txt Ready: ask about it."])
    expect(stage.service.sentFiles[0]).toContain('name="conversationId"')
    await widget.page.context().unrouteAll({ behavior: "ignoreErrors" })
  })

  it("that are dropped on the field are sent, too", async () => {
    const widget = await opened(stage)
    await widget.field.evaluate((field) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File(["Storks."], "dropped.txt"))
      field.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
    })
    await expect.poll(() => lines(widget).allTextContents()).toEqual(["dropped.txt Ready: ask about it."])
  })

  it("that are refused or cannot be read say why, and a refused one goes with the next", async () => {
    const widget = await opened(stage)
    const problems = [
      [409, "too_many_conversation_files", undefined, "A conversation has room for 5 files."],
      [409, "no_room_for_file", undefined, "No more files can be taken at the moment."],
      [409, "visitor_uploads_off", undefined, "Files cannot be attached here any more."],
      [400, "file_rejected", "type", "Files of this kind cannot be read here."],
      [400, "file_rejected", "malware", "It was refused, because it seems to contain malware."],
      [400, "file_rejected", "too-large", "It is too large: at most 5 MB."],
      [503, "storage_unavailable", undefined, "It was not sent. Check your connection, then try again."]
    ] as const
    for (const [status, code, rule, words] of problems) {
      stage.service.fileAnswers.push({ problem: { status, code, ...(rule && { problem: rule }) } })
      await chooser(widget).setInputFiles(fileOf("a.txt"))
      await expect.poll(() => lines(widget).allTextContents()).toEqual([`a.txt ${words}`])
    }
    stage.service.fileAnswers.push({
      problem: { status: 429, code: "visitor_uploads_limited", retryAfter: "120" }
    })
    await chooser(widget).setInputFiles(fileOf("a.txt"))
    await expect
      .poll(() => lines(widget).allTextContents())
      .toEqual(["a.txt Too many files were sent. You can go on in 2 minutes."])
    const sent = stage.service.sentFiles.length
    await chooser(widget).setInputFiles(fileOf("large.txt", "x".repeat(5 * 1024 * 1024 + 1)))
    await expect.poll(() => lines(widget).allTextContents()).toEqual(["large.txt It is too large: at most 5 MB."])
    expect(stage.service.sentFiles.length).toBe(sent)
    const failures = [
      ["password", "It is locked with a password."],
      ["no_text", "It has no text that can be read."],
      ["our_side", "It could not be read."]
    ] as const
    for (const [reason] of failures) stage.service.fileAnswers.push({ status: "failed", reason })
    await chooser(widget).setInputFiles(failures.map(([reason]) => fileOf(`${reason}.txt`)))
    await expect
      .poll(() => lines(widget).allTextContents())
      .toEqual(failures.map(([reason, words]) => `${reason}.txt ${words}`))
  })

  everyFile(stage, FILE_LOOKS)
})
