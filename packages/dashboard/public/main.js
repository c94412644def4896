import * as api from "./api.js"
import { createAnnouncer } from "./announcer.js"
import { createBalance } from "./balance.js"
import { Chat } from "./chat.js"
import { ChatList } from "./chatList.js"
import { createComposer } from "./composer.js"
import { createCreditHistory } from "./creditHistory.js"
import { Documents } from "./documents.js"
import { find } from "./element.js"
import { createModels } from "./models.js"
import { showProblem } from "./notice.js"
import { createSidePanel } from "./sidePanel.js"
import { createSignIn } from "./signIn.js"
import { Transcript } from "./transcript.js"
import { createUploads } from "./uploads.js"

/** @type {{ signIn: import("./signIn.js").SignInWay, uploadTypes: string[] }} */
const settings = await (await api.send("/dashboard.json")).json()

const app = find("app", HTMLElement)
const announcer = createAnnouncer(find("announcements", HTMLElement))
const pageProblem = find("page-problem", HTMLElement)

/** @param {unknown} error @param {HTMLElement} [place] */
const onProblem = (error, place = pageProblem) => {
  if (error instanceof api.ApiProblem && error.status === 401) void leave("Your session has ended. Sign in again.")
  else showProblem(place, error)
}

const signIn = createSignIn({ way: settings.signIn, onSignedIn: () => void enter() })
const sidePanel = createSidePanel()
const balance = createBalance({ onProblem })
const models = createModels()
const documents = new Documents({ announcer, onProblem })
createUploads({ documents, announcer, onProblem })
createCreditHistory()
find("file", HTMLInputElement).accept = settings.uploadTypes.map((type) => `.${type}`).join(",")

const chatList = new ChatList({
  onOpen: (chatId) => {
    sidePanel.close()
    void chat.open(chatId)
  },
  onDeleted: (chatId) => {
    if (chat.current() === chatId) void chat.startNew()
  },
  onProblem
})

const composer = createComposer({ onSend: (text) => chat.send(text), onStop: () => chat.stop() })

const chat = new Chat({
  transcript: new Transcript(),
  announcer,
  documents,
  models,
  composer,
  onReplied: () => {
    void balance.refreshUntilSettled()
    chatList.refresh().catch(onProblem)
  },
  onMoved: (chatId) => {
    chatList.mark(chatId)
    history.replaceState(null, "", chatId === undefined ? location.pathname : `#chat=${chatId}`)
  },
  onProblem
})

/** Shows the page of a person who is signed in; the sign-in page where nobody is. */
const enter = async () => {
  try {
    await balance.refresh()
  } catch (error) {
    const isSignedOut = error instanceof api.ApiProblem && error.status === 401
    signIn.show()
    if (!isSignedOut) showProblem(find("sign-in-problem", HTMLElement), error)
    return
  }
  signIn.hide()
  app.hidden = false
  const started = await Promise.allSettled([models.refresh(), documents.refresh(), chatList.refresh()])
  for (const part of started) if (part.status === "rejected") onProblem(part.reason)
  const chatId = /^#chat=([0-9a-f-]{36})$/i.exec(location.hash)?.[1]
  if (chatId !== undefined) await chat.open(chatId)
  composer.focus()
}

/** @param {string} [why] */
const leave = async (why) => {
  app.hidden = true
  balance.stop()
  documents.clear()
  chatList.clear()
  pageProblem.replaceChildren()
  for (const dialog of document.querySelectorAll("dialog")) dialog.close()
  await chat.clear()
  signIn.show(why)
}

find("new-chat", HTMLButtonElement).addEventListener("click", () => {
  sidePanel.close()
  void chat.startNew()
})

find("sign-out", HTMLButtonElement).addEventListener("click", async () => {
  try {
    await signIn.out()
    composer.clear()
    await leave()
  } catch (error) {
    onProblem(error)
  }
})

await enter()
