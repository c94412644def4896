/** Loaded into each measured server: reports its processor time in microseconds on request. */
process.on("message", (question) => {
  if (question !== "processor time") return
  const { system, user } = process.cpuUsage()
  process.send?.({ processorTime: user + system })
})
