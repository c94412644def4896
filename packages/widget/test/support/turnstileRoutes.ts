import type { Page, Route } from "playwright-core"

/** The origin of the challenge. */
export const TURNSTILE = "https://challenges.cloudflare.com"

/** Loaded by a page of another origin that isolates itself. */
const headers = { "cross-origin-resource-policy": "cross-origin", "cross-origin-embedder-policy": "require-corp" }

/** Replaces Cloudflare's script: shows a frame of its origin and reports its events. */
const SCRIPT = `
let shown = 0
globalThis.turnstile = {
  render(container, parameters) {
    const id = "widget-" + (shown += 1)
    const frame = document.createElement("iframe")
    frame.title = "Widget containing a Cloudflare security challenge"
    frame.src = "${TURNSTILE}/frame"
    const size = parameters.size === "compact" ? "width:150px;height:140px" : "width:100%;min-width:300px;height:65px"
    frame.style.cssText = "display:block;border:0;" + size
    addEventListener("message", (event) => {
      if (event.source !== frame.contentWindow) return
      if (event.data === "solved") parameters.callback("token-" + shown)
      else parameters["error-callback"]("300010")
    })
    frame.id = id
    frame.dataset.parameters = JSON.stringify(parameters)
    container.append(frame)
    return id
  },
  remove: (id) => document.getElementById(id).remove()
}
`

const FRAME = `<!doctype html><html lang="en"><title>Challenge</title><body>
<label><input type="checkbox" onchange="parent.postMessage('solved', '*')"> Verify you are human</label>
<button type="button" onclick="parent.postMessage('failed', '*')">Fail</button>
</body></html>`

const fulfil = (contentType: string, body: string) => (route: Route) => route.fulfill({ contentType, headers, body })

/** Serves Cloudflare's files to a page. */
export const serveTurnstile = async (page: Page): Promise<void> => {
  await page.route(`${TURNSTILE}/turnstile/v0/api.js*`, fulfil("text/javascript", SCRIPT))
  await page.route(`${TURNSTILE}/frame`, fulfil("text/html", FRAME))
}

/** Has a page reach nothing of Cloudflare's. */
export const refuseTurnstile = (page: Page): Promise<unknown> => page.route(`${TURNSTILE}/**`, (route) => route.abort())
