/** The longer browser tests of the default server's chats. */
import { messageImages } from "./looks/messageImages.ts"
import { richReply } from "./looks/richReply.ts"
import { sharedChat } from "./looks/sharedChat.ts"
import { wholeProject } from "./looks/wholeProject.ts"
import { FURTHER_CHAT_LOOKS } from "./looks/WindowLook.ts"
import { describeInChromium } from "./support/describeInChromium.ts"

describeInChromium("what chats can do", {}, (stage) => {
  for (const define of [messageImages, richReply, sharedChat, wholeProject]) define(stage, FURTHER_CHAT_LOOKS)
})
