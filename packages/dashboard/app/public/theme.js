// zod, which the AI SDK loads, otherwise tries whether the page may run generated code: the page's policy refuses that.
globalThis.__zod_globalConfig = { jitless: true }

// Before anything is drawn: the colours that the person chose, so that no page flashes in the other ones.
;(function () {
  var chosen = null
  try {
    chosen = localStorage.getItem("mantine-color-scheme-value")
  } catch {
    // Storage may be closed to pages.
  }
  var dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches)
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light")
})()
