window.Parley =
  window.Parley ||
  function () {
    ;(Parley.q = Parley.q || []).push(arguments)
  }

addEventListener("DOMContentLoaded", () => {
  document.querySelector("#help").onclick = () => Parley("open")
})
// The event carries no text of the conversation.
Parley("on", "reply", () => (document.documentElement.dataset.answered = "yes"))
