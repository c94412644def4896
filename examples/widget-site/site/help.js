window.Parley =
  window.Parley ||
  function () {
    ;(Parley.q = Parley.q || []).push(arguments)
  }

addEventListener("DOMContentLoaded", () => {
  document.querySelector("#help").onclick = () => Parley("open")
})
// The page learns that something happened, never what was said.
Parley("on", "reply", () => (document.documentElement.dataset.answered = "yes"))
