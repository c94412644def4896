// Draws a diagram in a frame without an origin, a session or network access. The page around the frame posts the text,
// and receives the height of the drawing.
;(function () {
  var place = document.getElementById("place")
  var report = function (message) {
    parent.postMessage(message, "*")
  }
  var draw = async function (data) {
    // A frame whose colour scheme differs from its page's would have an opaque background.
    document.documentElement.style.colorScheme = data.isDark ? "dark" : "light"
    globalThis.mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      suppressErrorRendering: true,
      theme: data.isDark ? "dark" : "default",
      fontFamily: "system-ui, sans-serif"
    })
    var drawn = await globalThis.mermaid.render("diagram", data.text)
    place.innerHTML = drawn.svg
  }
  new ResizeObserver(function () {
    if (place.firstChild !== null) report({ height: Math.ceil(place.getBoundingClientRect().height) })
  }).observe(place)
  addEventListener("message", function (event) {
    if (event.source !== parent || typeof event.data.text !== "string") return
    draw(event.data).catch(function () {
      report({ failed: true })
    })
  })
  report({ ready: true })
})()
