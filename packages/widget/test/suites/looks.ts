import { expect, it } from "vitest"
import { everyChatState, LOOKS } from "../looks/everyChatState.ts"
import { describeWidget } from "../support/describeWidget.ts"

describeWidget("what the chat looks like", (stage) => {
  everyChatState(stage, LOOKS)

  it("does not move for people who want no motion", async () => {
    const widget = await stage.visit({ reducedMotion: "reduce" })
    await widget.open()
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    stage.service.answer({ kind: "text", pieces: ["Done."], until: () => held })
    await widget.ask("Does anything move?")
    await widget.frame.locator(".dots").waitFor()
    const moving = widget.page.frames().map((frame) => frame.evaluate(() => document.getAnimations().length))
    expect(await Promise.all(moving)).toEqual([0, 0])
    release()
  })
})
