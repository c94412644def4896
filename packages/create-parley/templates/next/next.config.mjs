/** The database and the document parser run in threads and processes of their own, which a bundler does not find. */
export default {
  serverExternalPackages: [
    "@parley/adapters-db",
    "@parley/adapters-documents",
    "@parley/adapters-http",
    "@parley/adapters-llm",
    "@parley/core"
  ]
}
